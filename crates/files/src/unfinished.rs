//! Files that are being written.

use std::{
    fs::{self, DirEntry, File, TryLockError},
    io,
    path::Path,
};
use tempfile::{Builder, TempPath};

/// The start of the names of files that are being written.
const PREFIX: &str = ".hloom-unfinished-";

/// The limit on files that others remove before they are locked.
const MAX_ATTEMPTS: usize = 16;

/// Creates a file in a folder, with these permissions as far as the user's mask allows, and locks
/// it until it is closed. First removes files of writers that ended.
///
/// # Errors
/// The system's.
pub(crate) fn create(folder: &Path, mode: u32) -> io::Result<(File, TempPath)> {
    remove_abandoned(folder);
    let mut builder = Builder::new();
    builder.prefix(PREFIX).rand_bytes(12);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    for _ in 0..MAX_ATTEMPTS {
        let (file, path) = builder.tempfile_in(folder)?.into_parts();
        // Another writer may find the file before it is locked here, and removes it.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            continue;
        }
        if path.symlink_metadata().is_ok() {
            return Ok((file, path));
        }
    }
    Err(io::Error::other(format!("{MAX_ATTEMPTS} new files in `{}` vanished", folder.display())))
}

/// Removes the unfinished files in a folder whose writers ended. A file that cannot be checked or
/// removed stays.
pub fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            // It costs space alone, and the next writer tries again.
            drop(remove_if_abandoned(&entry));
        }
    }
}

fn remove_if_abandoned(entry: &DirEntry) -> io::Result<()> {
    if !entry.file_type()?.is_file() {
        return Ok(());
    }
    let path = entry.path();
    // Network file systems lock files only for those who may write to them.
    let file = File::options().read(true).write(true).open(&path)?;
    file.try_lock()?;
    // Its writer, if it has just created the file, now finds it locked or removed.
    fs::remove_file(path)
}
