//! Opening of files with untrusted paths.

use std::{
    fs::{File, FileType, Metadata},
    io::{self, Read},
    path::Path,
};

/// Opens a file with an untrusted path for reading. Links are followed, since model caches consist
/// of links; a folder, pipe, device or socket is refused without waiting for it.
///
/// # Errors
/// The system's error, or the file is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Opening a device may have an effect, so the type of the file is checked before, and again
    // when it is open.
    regular(&std::fs::metadata(path)?)?;
    let mut options = File::options();
    options.read(true);
    // Miri does not support this flag.
    #[cfg(all(unix, not(miri)))]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// All of a file of at most `limit` bytes, opened as by [`open_regular`].
///
/// # Errors
/// As [`open_regular`], or the file is larger than `limit`.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let check = |size: u64| {
        if size <= limit {
            return Ok(());
        }
        let message = format!("it has {size} bytes, expected at most {limit}");
        Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
    };
    let file = open_regular(path)?;
    check(file.metadata()?.len())?;
    // Memory is reserved as the bytes come: the size of a sparse file is only a claim, and the file
    // may grow meanwhile.
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    check(bytes.len() as u64)?;
    Ok(bytes)
}

fn regular(data: &Metadata) -> io::Result<()> {
    if data.is_file() {
        return Ok(());
    }
    let message = format!("expected a regular file, found {}", kind(data.file_type()));
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

/// The name of a file type, for the message that a regular file was expected.
fn kind(found: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if found.is_fifo() {
            return "a named pipe";
        }
        if found.is_socket() {
            return "a socket";
        }
    }
    if found.is_dir() { "a folder" } else { "a device" }
}
