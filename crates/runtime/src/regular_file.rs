//! Reading files whose paths come from the user.

use std::{
    fs::{Metadata, OpenOptions, metadata},
    io::{self, Read},
    path::Path,
};

/// All of a file. Links are followed; a pipe, a device or a folder is refused without waiting for
/// it.
///
/// # Errors
/// The system's, or it is no regular file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    // Opening a device may have an effect, so it is checked before, and again when it is open.
    check(&metadata(path)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let mut file = options.open(path)?;
    let found = file.metadata()?;
    check(&found)?;
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or(0));
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn check(found: &Metadata) -> io::Result<()> {
    match found.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
    }
}
