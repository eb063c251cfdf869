//! A folder of files that nobody else can write to.

use crate::regular_file;
use hloom_files::AtomicFile;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// The end of the names of entries, after a hash.
const ENTRY: &str = "hloom";
/// The end of the names of notes, after a hash.
const NOTE: &str = "note";

/// A folder that was checked, by its path without links. Its parents belong to this user or the
/// system, so that the path keeps referring to the checked folder.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// An existing folder.
    ///
    /// # Errors
    /// There is none, or others can write to it or replace it.
    pub fn open(path: &Path) -> io::Result<Folder> {
        check_folder(path).map(Folder)
    }

    /// As [`open`](Self::open); creates it if there is none, for this user alone.
    pub fn create(path: &Path) -> io::Result<Folder> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        // An existing file or folder is checked below, whatever it is.
        if let Err(error) = builder.create(path)
            && path.symlink_metadata().is_err()
        {
            return Err(error);
        }
        Folder::open(path)
    }

    /// The path of an entry.
    pub fn file(&self, digest: &str) -> PathBuf {
        self.0.join(digest).with_extension(ENTRY)
    }

    /// The path of a note, which is not an entry.
    pub fn note(&self, name: &str) -> PathBuf {
        self.0.join(name).with_extension(NOTE)
    }

    /// The entries and their sizes in bytes.
    pub fn files(&self) -> io::Result<Vec<(PathBuf, u64)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            let path = entry.path();
            // A file that was removed meanwhile is skipped.
            if let Ok(metadata) = entry.metadata()
                && metadata.is_file()
                && is_named(&path, ENTRY)
            {
                found.push((path, metadata.len()));
            }
        }
        Ok(found)
    }

    /// The bytes of a file that belongs to this user and is not a link.
    pub fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        regular_file::read_whole(self.open_file(path)?)
    }

    /// As [`read`](Self::read), to be read in part.
    pub fn open_file(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(
            &mut options,
            libc::O_NOFOLLOW | libc::O_NONBLOCK,
        );
        let file = options.open(path)?;
        let metadata = file.metadata()?;
        check_owner(&metadata)?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        Ok(file)
    }

    /// Writes an entry so that others see all of it or nothing. Files that processes left which
    /// ended while they wrote are removed.
    pub fn write(&self, digest: &str, bytes: &[u8]) -> io::Result<()> {
        self.write_file(&self.file(digest), bytes)
    }

    /// Writes a file as [`write`](Self::write) does.
    pub fn write_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = AtomicFile::create_in_cache(path)?;
        file.write_all(bytes)?;
        file.commit()
    }

    /// Notes that an entry was used.
    pub fn used(&self, path: &Path) {
        // Without the time of last use, the entry is only removed earlier.
        drop(File::open(path).and_then(|file| file.set_modified(SystemTime::now())));
    }

    /// Removes the entries used least recently until the rest has at most `limit` bytes.
    pub fn shrink(&self, limit: u64) {
        let Ok(entries) = fs::read_dir(&self.0) else { return };
        let (mut files, mut total) = (Vec::new(), 0);
        for entry in entries.flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let path = entry.path();
            if metadata.is_file() && (is_named(&path, ENTRY) || is_named(&path, NOTE)) {
                total += metadata.len();
                files.push((used, path, metadata.len()));
            }
        }
        files.sort();
        for (_, path, bytes) in files {
            if total <= limit {
                break;
            }
            if fs::remove_file(path).is_ok() {
                total -= bytes;
            }
        }
    }
}

/// Whether a file is of a cache: a hash with this extension. Users may keep files of their own in
/// the folder, programs that they saved too.
fn is_named(path: &Path, extension: &str) -> bool {
    let is_hash = |stem: &str| stem.len() == 64 && stem.bytes().all(|b| b.is_ascii_hexdigit());
    path.extension().is_some_and(|end| end == extension)
        && path.file_stem().and_then(|stem| stem.to_str()).is_some_and(is_hash)
}

/// Checks that a folder is this user's, that nobody else can write to it, and that nobody else can
/// put another in its place. Returns its path without links, for which the checks hold.
#[cfg(unix)]
fn check_folder(path: &Path) -> io::Result<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    if path.symlink_metadata()?.is_symlink() {
        return Err(io::Error::other("it is a link"));
    }
    let path = path.canonicalize()?;
    let metadata = path.symlink_metadata()?;
    if !metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::NotADirectory));
    }
    check_owner(&metadata)?;
    for above in path.ancestors().skip(1) {
        let metadata = above.metadata()?;
        let mode = metadata.mode();
        // In a folder with the sticky bit, as /tmp, others cannot rename files of this user.
        let writable = mode & 0o022 != 0 && mode & 0o1000 == 0;
        if writable || !hloom_pjrt::belongs_to_user(&metadata) {
            let above = above.display();
            return Err(io::Error::other(format!("others can write to `{above}`, which it is in")));
        }
    }
    Ok(path)
}

#[cfg(not(unix))]
fn check_folder(path: &Path) -> io::Result<PathBuf> {
    if path.symlink_metadata()?.is_dir() {
        path.canonicalize()
    } else {
        Err(io::Error::from(io::ErrorKind::NotADirectory))
    }
}

/// Checks that a file or folder is this user's, and that nobody else can write to it.
#[cfg(unix)]
fn check_owner(metadata: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    if !hloom_pjrt::belongs_to_user(metadata) {
        return Err(io::Error::other(format!("it belongs to user {}", metadata.uid())));
    }
    if metadata.mode() & 0o022 != 0 {
        let mode = metadata.mode() & 0o777;
        return Err(io::Error::other(format!("others can write to it (mode {mode:o})")));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_owner(_: &fs::Metadata) -> io::Result<()> {
    Ok(())
}
