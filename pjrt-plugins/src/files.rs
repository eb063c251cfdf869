//! Opening files and making folders: never through a link that another user planted, never waiting
//! for a pipe, and never writable for others.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::{DirBuilderExt, FileTypeExt, OpenOptionsExt},
    path::Path,
};

/// Opens a file for reading. Links are followed; a folder, pipe, device or socket is refused
/// without waiting for it.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    // Opening a device may have an effect, so the type of the file is checked before, and again
    // when it is open.
    regular(std::fs::metadata(path)?)?;
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    regular(file.metadata()?)?;
    Ok(file)
}

/// All of a file, opened as by [`open`].
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a lock file, and creates it if it does not exist. A link at this path is an error, so that
/// no file elsewhere is created or touched.
pub(crate) fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    let file = options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
    let file = file.map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => io::Error::new(error.kind(), "it is a symbolic link: remove it"),
        _ => error,
    })?;
    regular(file.metadata()?)?;
    Ok(file)
}

/// Creates a folder and its missing parents, which only the user can write to, whatever the user's
/// mask allows: plugins are loaded only from such folders.
pub(crate) fn create_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(path)
}

/// As [`create_folders`], for one folder that must not exist yet.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o755).create(path)
}

fn regular(data: std::fs::Metadata) -> io::Result<()> {
    let kind = data.file_type();
    let found = match () {
        () if kind.is_file() => return Ok(()),
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    };
    let message = format!("expected a regular file, found {found}");
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}
