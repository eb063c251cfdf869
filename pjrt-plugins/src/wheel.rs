//! Unpacking of wheels, which are zip archives, into a folder and nowhere else.

use std::{
    collections::HashSet,
    fs::OpenOptions,
    io::{self, BufReader, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use sha2::{Digest, Sha256};
use zip::{ZipArchive, read::ZipFile};

use crate::{Error, Result, error::IoContext, files};

const FILE_TYPE: u32 = 0o170_000;
const REGULAR_FILE: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;

/// Unpacks the wheel `archive` into the folder `into`; `written` is called with the size of each
/// piece of output, in bytes.
///
/// Every member is checked before the first is written. Files get mode 755 where the archive marks
/// them as executable, else 644, and are on disk when this returns.
///
/// # Errors
/// [`Error::UnsafeMember`] for an absolute name, one with `..`, a backslash or a NUL, a symbolic
/// link or other special file, a duplicate member or one that would replace a file;
/// [`Error::Archive`] for a file that is not a zip archive or is damaged; [`Error::Io`].
pub fn unpack(archive: &Path, into: &Path, written: &mut dyn FnMut(u64)) -> Result<()> {
    let file = files::open(archive).at("open", archive)?;
    let broken = |reason: String| Error::Archive { archive: archive.to_owned(), reason };
    let mut zip =
        ZipArchive::new(BufReader::new(file)).map_err(|error| broken(error.to_string()))?;

    let mut seen = HashSet::new();
    let mut names = Vec::with_capacity(zip.len());
    for index in 0..zip.len() {
        let member = zip.by_index_raw(index).map_err(|error| broken(error.to_string()))?;
        let name = safe_name(&member)
            .and_then(|name| {
                seen.insert(name.clone()).then_some(name).ok_or("has a duplicate name")
            })
            .map_err(|reason| Error::UnsafeMember {
                archive: archive.to_owned(),
                member: String::from_utf8_lossy(member.name_raw()).into_owned(),
                reason,
            })?;
        names.push(name);
    }

    for (index, name) in names.iter().enumerate() {
        let mut member = zip.by_index(index).map_err(|error| broken(error.to_string()))?;
        let path = into.join(name);
        if member.is_dir() {
            files::create_folders(&path).at("create", &path)?;
            continue;
        }
        let folder = path.parent().unwrap_or(into);
        files::create_folders(folder).at("create", folder)?;
        let executable = member.unix_mode().is_some_and(|mode| mode & 0o111 != 0);
        let mut file = match OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(if executable { 0o755 } else { 0o644 })
            .open(&path)
        {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Error::UnsafeMember {
                    archive: archive.to_owned(),
                    member: name.clone(),
                    reason: "would replace a file of another package",
                });
            }
            opened => opened.at("create", &path)?,
        };
        let mut piece = vec![0; 1 << 20];
        loop {
            // Reading checks sizes and the checksum at the end of the member.
            let length = member
                .read(&mut piece)
                .map_err(|error| broken(format!("member `{name}`: {error}")))?;
            if length == 0 {
                break;
            }
            file.write_all(&piece[..length]).at("write", &path)?;
            written(length as u64);
        }
        file.sync_all().at("write", &path)?;
    }
    Ok(())
}

/// The sha256 of a file, in lower-case hexadecimal digits.
///
/// # Errors
/// [`Error::Io`] when it cannot be read.
pub fn sha256(path: &Path) -> Result<String> {
    let mut file = files::open(path).at("open", path)?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; 1 << 20];
    loop {
        let length = file.read(&mut piece).at("read", path)?;
        if length == 0 {
            break;
        }
        hash.update(&piece[..length]);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Total unpacked size of `archive` in bytes.
///
/// # Errors
/// [`Error::Archive`] and [`Error::Io`] as for [`unpack`].
pub fn unpacked_bytes(archive: &Path) -> Result<u64> {
    let file = files::open(archive).at("open", archive)?;
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|error| Error::Archive {
        archive: archive.to_owned(),
        reason: error.to_string(),
    })?;
    Ok((0..zip.len())
        .filter_map(|index| zip.by_index_raw(index).ok().map(|member| member.size()))
        .sum())
}

/// The member's name if it stays inside any folder it is joined to, else the reason why it is
/// refused.
fn safe_name<R: Read>(member: &ZipFile<'_, R>) -> std::result::Result<String, &'static str> {
    let name =
        std::str::from_utf8(member.name_raw()).map_err(|_| "has a name that is not UTF-8")?;
    if let Some(mode) = member.unix_mode() {
        let kind = mode & FILE_TYPE;
        if ![0, REGULAR_FILE, DIRECTORY].contains(&kind) {
            return Err("is a link or special file");
        }
    }
    if name.starts_with('/') {
        return Err("has an absolute name");
    }
    if name.contains(['\\', '\0', ':']) {
        return Err("has a backslash, colon or NUL in its name");
    }
    let name = name.strip_suffix('/').unwrap_or(name);
    if name.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err("climbs out of the folder it is unpacked into");
    }
    Ok(name.to_owned())
}
