//! How much a platform is used.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The numbers of calls and compilations of a platform since somebody asked for them. They show
/// whether it is in use; of uses at the same time some may be lost, so that a call pays for no
/// atomic addition.
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
    /// A program is called.
    #[inline]
    pub fn call(&self) {
        if self.is_counted.load(Relaxed) {
            self.calls.store(self.calls.load(Relaxed) + 1, Relaxed);
        }
    }

    /// A program is compiled.
    pub fn compilation(&self) {
        self.compilations.fetch_add(1, Relaxed);
    }

    /// Counts calls from now on.
    pub(super) fn count(&self) {
        self.is_counted.store(true, Relaxed);
    }

    pub(super) fn uses(&self) -> Uses {
        let (calls, compilations) = (&self.calls, &self.compilations);
        Uses { calls: calls.load(Relaxed), compilations: compilations.load(Relaxed) }
    }
}
