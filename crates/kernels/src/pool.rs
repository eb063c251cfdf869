//! Threads that share the work of one call.

use crate::Error;
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicUsize, Ordering},
};

/// Threads that a kernel may use: [`Serial`], [`Scoped`] or [`Workers`](crate::Workers).
///
/// Kernels write to disjoint parts of memory by the numbers that [`Pool::for_each`] passes on, so
/// it is sealed: each implementation is one of this crate.
pub trait Pool: Sync + Sealed {
    /// The number of threads, including the caller's; at least 1.
    fn threads(&self) -> usize;

    /// Calls `work` once with every number below `count`, on this thread and others, and returns
    /// when all calls have finished.
    ///
    /// # Errors
    /// [`Error::Panicked`].
    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) -> Result<(), Error>;
}

/// The error for a panic.
fn panicked(panic: Box<dyn Any + Send>) -> Error {
    // Dropping the payload may panic again.
    std::mem::forget(panic);
    Error::Panicked
}

/// The bound that keeps other crates from implementing [`Pool`].
pub trait Sealed {}

/// Runs everything on the caller's thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Sealed for Serial {}

impl Pool for Serial {
    fn threads(&self) -> usize {
        1
    }

    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) -> Result<(), Error> {
        catch_unwind(AssertUnwindSafe(|| (0..count).for_each(work))).map_err(panicked)
    }
}

/// This number of threads, started for each call: for tests and programs that call rarely.
#[derive(Clone, Copy, Debug)]
pub struct Scoped(pub usize);

impl Sealed for Scoped {}

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
            let own = catch_unwind(AssertUnwindSafe(share)).map_err(panicked).is_err();
            // All are joined, so that the scope has no panic to propagate.
            others.into_iter().fold(own, |any, other| other.join().map_err(panicked).is_err() | any)
        });
        if panicked { Err(Error::Panicked) } else { Ok(()) }
    }
}
