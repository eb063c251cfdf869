//! A file mapped into memory. The only unsafe code of this crate.
#![allow(unsafe_code, reason = "mapping a file cannot be checked by the compiler")]

use memmap2::{Mmap, UncheckedAdvice};
use std::{
    fmt,
    fs::File,
    io,
    ops::Range,
    path::{Path, PathBuf},
};

/// A file's bytes, mapped read-only. Pages are read from the disk when they are first touched.
///
/// The file must not be changed while it is mapped: replace checkpoints by renaming a new file over the old one, as this
/// crate's own writer does. A file that is truncated in place ends the process when the lost pages are touched.
pub struct MappedFile {
    path: PathBuf,
    file: File,
    map: Mmap,
}

impl MappedFile {
    /// Maps the file at `path`.
    ///
    /// # Errors
    /// The file cannot be opened or mapped, or is no regular file.
    pub fn open(path: &Path) -> io::Result<MappedFile> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        // SAFETY: the mapping is private and read-only, and no reference into it outlives it. That nobody changes the file
        // meanwhile is the one condition that cannot be enforced; it is stated in the type's documentation. Its bytes are
        // only ever read as plain numbers, for which every bit pattern is valid.
        let map = unsafe { Mmap::map(&file)? };
        Ok(MappedFile {
            path: path.to_owned(),
            file,
            map,
        })
    }

    /// The file's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Copies the bytes from `start` on, without touching the mapped pages where the system can read a file at a place.
    ///
    /// # Panics
    /// The file does not have so many bytes from there.
    pub fn copy(&self, start: usize, output: &mut [u8]) {
        let mapped = &self.map[start..start + output.len()];
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileExt;
            if self.file.read_exact_at(output, start as u64).is_ok() {
                return;
            }
        }
        output.copy_from_slice(mapped);
    }

    /// Gives the memory of the whole pages inside `range` back to the system: they are read from the file again when they are
    /// touched again. Does nothing where the system has no such call.
    pub fn release(&self, range: Range<usize>) {
        // The least page size of the supported systems; where pages are larger, the system rounds or refuses, and a refusal
        // only means that memory is given back later.
        const PAGE: usize = 4096;
        let start = range.start.next_multiple_of(PAGE);
        let end = range.end.min(self.map.len()) / PAGE * PAGE;
        if start >= end {
            return;
        }
        // SAFETY: the mapping is of a file and never written, so dropped pages come back with the same bytes.
        let released = unsafe {
            self.map
                .unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start)
        };
        if let Err(error) = released {
            tracing::trace!(%error, "mapped pages were not given back");
        }
    }
}

impl fmt::Debug for MappedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MappedFile({}, {} bytes)", self.path.display(), self.map.len())
    }
}
