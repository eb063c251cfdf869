//! One file of a checkpoint, mapped into memory or read piece by piece.

use crate::{
    Error, Result,
    format::{self, Header},
    mapping::Mapping,
    open_file,
};
use std::{
    fmt,
    fs::File,
    io,
    ops::Range,
    path::{Path, PathBuf},
};

/// The way in which a checkpoint's files are accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Access {
    /// Files are mapped: nothing is read before it is needed, and the CPU uses aligned bytes
    /// without a copy. A file that is truncated in place while it is mapped ends the process
    /// (SIGBUS) when the lost part is touched.
    #[default]
    Mapped,
    /// Files are read, each tensor into memory of its own when it is loaded: slower and with a copy
    /// of the weights in memory, but a file that is changed meanwhile is an ordinary error. For
    /// files on network file systems, or files that others may change.
    Read,
}

/// One file of a checkpoint.
pub struct CheckpointFile {
    path: PathBuf,
    file: File,
    size: usize,
    mapping: Option<Mapping>,
}

impl CheckpointFile {
    /// Opens the file at `path`.
    ///
    /// # Errors
    /// The file cannot be opened or mapped, or is not a regular file.
    pub fn open(path: &Path, access: Access) -> Result<CheckpointFile> {
        let failed = |source| Error::Read { path: path.to_owned(), source };
        let file = open_file::open_regular(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let size = usize::try_from(size).map_err(|_| failed(io::ErrorKind::FileTooLarge.into()))?;
        // Miri does not support mappings.
        let mapped = access == Access::Mapped && !cfg!(miri);
        let mapping = mapped.then(|| Mapping::of(&file)).transpose().map_err(failed)?;
        // The file may have changed since its size was queried; the mapping has the current size.
        let size = mapping.as_ref().map_or(size, |mapping| mapping.bytes().len());
        Ok(CheckpointFile { path: path.to_owned(), file, size, mapping })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its size in bytes when it was opened.
    pub fn byte_size(&self) -> usize {
        self.size
    }

    /// Its bytes where they are mapped; `None` with [`Access::Read`].
    pub(crate) fn mapped(&self) -> Option<&[u8]> {
        self.mapping.as_ref().map(Mapping::bytes)
    }

    /// Reads the bytes from `start` on, without touching mapped pages.
    ///
    /// # Errors
    /// The file was truncated, or the system cannot read it there.
    pub fn read_at(&self, start: usize, output: &mut [u8]) -> Result<()> {
        let mut at = start as u64;
        let mut rest = output;
        while !rest.is_empty() {
            match read_at(&self.file, rest, at) {
                Ok(0) => return Err(self.truncated(at)),
                Ok(count) => {
                    rest = &mut rest[count..];
                    at += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(Error::ReadAt { path: self.path.clone(), offset: at, source });
                }
            }
        }
        Ok(())
    }

    /// The bytes of `range`, read into memory of their own.
    pub(crate) fn read(&self, range: Range<usize>) -> Result<Vec<u8>> {
        let mut bytes = self.reserve(range.len())?;
        self.read_at(range.start, &mut bytes)?;
        Ok(bytes)
    }

    /// Memory for `len` bytes of the file, zero at first.
    pub(crate) fn reserve(&self, len: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        // A sparse file can be larger than memory.
        bytes.try_reserve_exact(len).map_err(|error| Error::Read {
            path: self.path.clone(),
            source: io::Error::new(io::ErrorKind::OutOfMemory, error),
        })?;
        bytes.resize(len, 0);
        Ok(bytes)
    }

    /// Checks that the file still has all its bytes, before mapped ones are touched. This detects
    /// an earlier truncation, not one that happens while the bytes are touched.
    ///
    /// # Errors
    /// The file was truncated.
    pub(crate) fn check_size(&self) -> Result<()> {
        match self.file.metadata() {
            Ok(data) if data.len() < self.size as u64 => Err(self.truncated(data.len())),
            _ => Ok(()),
        }
    }

    /// The contents of the file's header, checked against its size.
    ///
    /// # Errors
    /// The header cannot be read, or breaks the format.
    pub(crate) fn header(&self) -> Result<Header> {
        let broken = |error| Error::Format { path: self.path.clone(), error };
        let start = self.read(0..self.size.min(8))?;
        let size = format::header_size(&start, self.size).map_err(broken)?;
        let header = self.read(8..8 + size)?;
        format::parse_header(&header, self.size).map_err(broken)
    }

    /// Returns the memory of the whole mapped pages inside `range` to the system, where the system
    /// has such a call.
    pub(crate) fn release(&self, range: Range<usize>) {
        if let Some(mapping) = &self.mapping {
            mapping.release(range);
        }
    }

    /// The error for a file that ended at `end`.
    fn truncated(&self, end: u64) -> Error {
        let found = self.file.metadata().map_or(end, |data| data.len());
        Error::Truncated {
            path: self.path.clone(),
            expected: self.size as u64,
            found: found.min(end),
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, output: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, output, at)
}

#[cfg(windows)]
fn read_at(file: &File, output: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, output, at)
}

impl fmt::Debug for CheckpointFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CheckpointFile({}, {} bytes)", self.path.display(), self.size)
    }
}
