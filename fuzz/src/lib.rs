//! Files for targets whose readers take a path.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Writes a file of this process, at a path below its own folder.
///
/// # Panics
/// The temporary folder is not writable.
pub fn file(name: impl AsRef<Path>, bytes: &[u8]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hloom-fuzz-{}", std::process::id()));
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder is writable");
    fs::write(&path, bytes).expect("the folder is writable");
    path
}
