//! A file's bytes in memory without a copy.
#![allow(unsafe_code, reason = "mapping a file cannot be checked by the compiler")]

use memmap2::{Mmap, UncheckedAdvice};
use std::{fs::File, io, ops::Range};

/// A file's bytes, mapped read-only. Pages are read from the disk when they are first touched.
///
/// A file that is truncated in place while it is mapped ends the process when the lost pages are
/// touched.
pub(crate) struct Mapping(Mmap);

impl Mapping {
    /// Maps all of `file`.
    ///
    /// # Errors
    /// The system's error, for instance that the file system does not support mappings.
    pub fn of(file: &File) -> io::Result<Mapping> {
        // SAFETY: the mapping is private and read-only, and no reference into it outlives it. That
        // nobody changes the file meanwhile is the one condition that cannot be enforced;
        // it is stated in the documentation of `Checkpoint::open`. Its bytes are only ever
        // read as plain numbers, for which every bit pattern is valid.
        let map = unsafe { Mmap::map(file)? };
        Ok(Mapping(map))
    }

    /// The file's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the memory of the whole pages inside `range` to the system: they are read from the
    /// file again when they are touched again. Does nothing where the system has no such call.
    pub fn release(&self, range: Range<usize>) {
        // The minimum page size of the supported systems. Where pages are larger, the system rounds
        // or returns an error, and after an error the memory is only freed later.
        const PAGE: usize = 4096;
        let start = range.start.next_multiple_of(PAGE);
        let end = range.end.min(self.0.len()) / PAGE * PAGE;
        if start >= end {
            return;
        }
        // SAFETY: the mapping is of a file and never written, so dropped pages come back with the
        // same bytes.
        let released =
            unsafe { self.0.unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start) };
        if let Err(error) = released {
            tracing::trace!(%error, "mapped pages were not given back");
        }
    }
}
