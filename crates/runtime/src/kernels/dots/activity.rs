//! Usage counters of a platform.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The numbers of calls and compilations of a platform since counting was turned on. They show
/// whether the platform is in use. Concurrent uses may be lost, so that a call needs no atomic
/// addition.
#[derive(Default)]
pub(crate) struct Activity {
    is_counted: AtomicBool,
    calls: AtomicU64,
    compilations: AtomicU64,
}

/// The numbers so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Uses {
    pub calls: u64,
    pub compilations: u64,
}

impl Activity {
    /// Counts a call of a program.
    #[inline]
    pub fn call(&self) {
        if self.is_counted.load(Relaxed) {
            self.calls.store(self.calls.load(Relaxed) + 1, Relaxed);
        }
    }

    /// Counts a compilation.
    pub fn compilation(&self) {
        self.compilations.fetch_add(1, Relaxed);
    }

    /// Turns counting of calls on.
    pub(super) fn count(&self) {
        self.is_counted.store(true, Relaxed);
    }

    pub(super) fn uses(&self) -> Uses {
        let (calls, compilations) = (&self.calls, &self.compilations);
        Uses { calls: calls.load(Relaxed), compilations: compilations.load(Relaxed) }
    }
}
