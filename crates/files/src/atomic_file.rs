//! Files that replace others as a whole.

use crate::{
    storage::{folder_of, sync_folder},
    unfinished,
};
use std::{
    fs::{File, Permissions},
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use tempfile::TempPath;

/// A file that appears under its name when it is committed. Dropped before, it leaves the previous
/// file as it was.
///
/// ```
/// use std::io::Write;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("notes");
/// let mut file = hloom_files::AtomicFile::create(&path)?;
/// file.write_all(b"all of it")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    out: BufWriter<File>,
    target: Target,
}

#[derive(Debug)]
enum Target {
    /// The file itself is written.
    Itself,
    Replaced {
        unfinished: TempPath,
        path: PathBuf,
        permissions: Option<Permissions>,
        stored: bool,
    },
}

impl AtomicFile {
    /// Creates a file that will replace the one at `path`, and keeps the permissions of that, or
    /// has the usual ones of a new file. A symbolic link stays, and its target is replaced. Pipes
    /// and devices are written into at once.
    ///
    /// # Errors
    /// The folder cannot be written to, or the pipe or device cannot be opened.
    pub fn create(path: impl AsRef<Path>) -> io::Result<AtomicFile> {
        let path = path.as_ref();
        let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
        match path.metadata() {
            Ok(found) if !found.is_file() => {
                Ok(AtomicFile::itself(File::options().write(true).open(path)?))
            }
            Ok(found) => {
                let path = if is_link { path.canonicalize()? } else { path.to_owned() };
                AtomicFile::in_place_of(path, 0o666, Some(plain(found.permissions())), true)
            }
            // The target of the link does not exist yet.
            Err(_) if is_link => Ok(AtomicFile::itself(File::create(path)?)),
            Err(_) => AtomicFile::in_place_of(path.to_owned(), 0o666, None, true),
        }
    }

    /// Creates a file of a cache, which only this user can read, and which will replace any file at
    /// `path`. It is not stored before this process goes on, so a loss of power may leave a part of
    /// it: readers have to check a hash.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn create_in_cache(path: impl AsRef<Path>) -> io::Result<AtomicFile> {
        AtomicFile::in_place_of(path.as_ref().to_owned(), 0o600, None, false)
    }

    fn itself(file: File) -> AtomicFile {
        AtomicFile { out: BufWriter::new(file), target: Target::Itself }
    }

    fn in_place_of(
        path: PathBuf,
        mode: u32,
        permissions: Option<Permissions>,
        stored: bool,
    ) -> io::Result<AtomicFile> {
        let (file, unfinished) = unfinished::create(folder_of(&path), mode)?;
        let target = Target::Replaced { unfinished, path, permissions, stored };
        Ok(AtomicFile { out: BufWriter::new(file), target })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// The rest cannot be written or stored, or the previous file cannot be replaced. It is then
    /// unchanged, and no part of the new one is left.
    pub fn commit(mut self) -> io::Result<()> {
        self.out.flush()?;
        let Target::Replaced { unfinished, path, permissions, stored } = self.target else {
            return Ok(());
        };
        let file = self.out.get_ref();
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        if stored {
            file.sync_all()?;
        }
        unfinished.persist(&path)?;
        if stored { sync_folder(folder_of(&path)) } else { Ok(()) }
    }
}

/// Permissions without the bits that change a program's user.
#[cfg(unix)]
fn plain(permissions: Permissions) -> Permissions {
    use std::os::unix::fs::PermissionsExt;
    Permissions::from_mode(permissions.mode() & 0o777)
}

#[cfg(not(unix))]
fn plain(permissions: Permissions) -> Permissions {
    permissions
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

/// Writes all of a file: see [`AtomicFile::create`].
///
/// # Errors
/// As for [`AtomicFile::create`] and [`AtomicFile::commit`].
pub fn write(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(contents.as_ref())?;
    file.commit()
}
