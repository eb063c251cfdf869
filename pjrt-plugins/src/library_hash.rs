//! The hash of an installed library, next to it.
//!
//! Caches of compiled programs identify a plugin by the hash of its file, which takes most of a
//! second to compute. So the installer writes it to `<library>.sha256`: the hash in hexadecimal
//! digits, the size of the library in bytes, and the time of its last change in nanoseconds since
//! 1970, separated by spaces. A reader compares size and time with those of the library.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::{Result, error::IoContext, wheel};

/// Writes the hash of `library` next to it.
pub(crate) fn write(library: &Path) -> Result<()> {
    let sha256 = wheel::sha256(library)?;
    let data = fs::metadata(library).at("read", library)?;
    let modified = data.modified().at("read", library)?;
    let modified = modified.duration_since(SystemTime::UNIX_EPOCH).map_err(io::Error::other);
    let nanoseconds = modified.at("read", library)?.as_nanos();
    let path = path(library);
    // A package may have a file of this name, and an installation that shares files has one.
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error).at("replace", &path)?,
        _ => {}
    }
    let mut file = File::options();
    let mut file = file.write(true).create_new(true).mode(0o644).open(&path).at("create", &path)?;
    let text = format!("{sha256} {} {nanoseconds}\n", data.len());
    file.write_all(text.as_bytes()).at("write", &path)?;
    file.sync_all().at("write", &path)
}

fn path(library: &Path) -> PathBuf {
    let mut path = OsString::from(library);
    path.push(".sha256");
    path.into()
}
