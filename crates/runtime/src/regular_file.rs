//! Reading files whose paths come from the user.

use std::{
    fs::{File, Metadata, OpenOptions, metadata},
    io::{self, Read},
    path::Path,
};

/// The size limit of a file that is read as a whole, in bytes: programs, whose weights are elsewhere.
const MAX_SIZE: u64 = 4 << 30;

/// All of a file. Links are followed; a pipe, a device or a folder is refused without waiting for
/// it.
///
/// # Errors
/// The system's, it is not a regular file, or it is larger than 4 GiB.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    // Opening a device may have an effect, so it is checked before, and again when it is open.
    check(&metadata(path)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    check(&file.metadata()?)?;
    read_whole(file)
}

/// All of an open file.
///
/// # Errors
/// The system's, or it is larger than 4 GiB.
pub(crate) fn read_whole(file: File) -> io::Result<Vec<u8>> {
    check_size(file.metadata()?.len())?;
    // Memory is reserved as the bytes come: the size of a sparse file is a mere claim, and the file
    // may grow meanwhile.
    let mut bytes = Vec::new();
    file.take(MAX_SIZE + 1).read_to_end(&mut bytes)?;
    check_size(bytes.len() as u64)?;
    Ok(bytes)
}

fn check_size(size: u64) -> io::Result<()> {
    if size <= MAX_SIZE {
        return Ok(());
    }
    let message = format!("it has {size} bytes, expected at most {MAX_SIZE}");
    Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
}

fn check(found: &Metadata) -> io::Result<()> {
    if found.is_file() {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}
