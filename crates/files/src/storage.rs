//! Files and names that outlast a loss of power.

use std::{fs::File, io, path::Path};

/// Gives a complete file its name: a loss of power leaves no file of that name, or all of it.
///
/// # Errors
/// It cannot be stored or renamed.
pub fn publish(part: &Path, path: &Path) -> io::Result<()> {
    File::options().write(true).open(part)?.sync_all()?;
    std::fs::rename(part, path)?;
    sync_folder(folder_of(path))
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Stores the names in a folder, where the system has a call for that.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some file systems of networks and user space have no such call.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) =>
        {
            Ok(())
        }
        // A folder that can be written to but not listed cannot be opened.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        synced => synced,
    }
}

#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
