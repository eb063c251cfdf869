//! Threads that share the work of one call.

use crate::Error;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicUsize, Ordering},
};

/// Threads that a kernel may use.
pub trait Pool: Sync {
    /// The number of threads, including the caller's; at least 1.
    fn threads(&self) -> usize;

    /// Calls `work` once with every number below `count`, on this thread and others, and returns
    /// when all calls have finished.
    ///
    /// # Errors
    /// [`Error::Panicked`].
    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) -> Result<(), Error>;
}

/// Runs everything on the caller's thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Pool for Serial {
    fn threads(&self) -> usize {
        1
    }

    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) -> Result<(), Error> {
        catch_unwind(AssertUnwindSafe(|| (0..count).for_each(work))).map_err(|_| Error::Panicked)
    }
}

/// This number of threads, started for each call: for tests and programs that call rarely.
#[derive(Clone, Copy, Debug)]
pub struct Scoped(pub usize);

impl Pool for Scoped {
    fn threads(&self) -> usize {
        self.0.max(1)
    }

    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) -> Result<(), Error> {
        let next = AtomicUsize::new(0);
        let share = || {
            loop {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                if piece >= count {
                    return;
                }
                work(piece);
            }
        };
        let panicked = std::thread::scope(|scope| {
            let others: Vec<_> = (1..self.threads()).map(|_| scope.spawn(share)).collect();
            let own = catch_unwind(AssertUnwindSafe(share));
            // All are joined, so that the scope has no panic to propagate.
            others
                .into_iter()
                .fold(own.is_err(), |panicked, other| other.join().is_err() | panicked)
        });
        match panicked {
            false => Ok(()),
            true => Err(Error::Panicked),
        }
    }
}
