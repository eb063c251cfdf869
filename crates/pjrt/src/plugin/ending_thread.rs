//! Threads that are ending.
//!
//! Compilers keep values for each thread. When it ends these are destroyed, in the reverse order of
//! their creation, and a compiler that is called by a later destructor would use memory that was
//! freed.

use crate::{Error, Result};

/// A value whose destructor runs after those of the compilers' values, since it is older.
struct Sentinel;

impl Drop for Sentinel {
    // Only that it was dropped matters.
    fn drop(&mut self) {}
}

thread_local! {
    static SENTINEL: Sentinel = const { Sentinel };
}

/// Checks that a compiler can be called on this thread: before the first call, and before others.
///
/// # Errors
/// [`Error::ThreadEnds`], in the destructor of a thread-local value that is older.
#[doc(hidden)]
pub fn check_thread(function: &'static str) -> Result<()> {
    SENTINEL.try_with(|_| ()).map_err(|_| Error::ThreadEnds { function })
}
