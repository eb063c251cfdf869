//! State machines of the crate under a model checker, which runs the interleavings of their
//! threads.
//!
//! Apart from `it`: the sources are compiled with the checker's atomics and threads.

mod sync;

#[path = "../../src/execute/free_list.rs"]
mod free_list;
#[path = "../../src/execute/launches.rs"]
mod launches;
#[path = "../../src/transfer/lease_slot.rs"]
mod lease_slot;
#[allow(dead_code, reason = "the models wait for the end of uses, and do not ask for it")]
#[path = "../../src/buffer/usage.rs"]
mod usage;

mod free_lists;
mod leases;
mod limits;
mod uses;

use loom::cell::UnsafeCell;

/// Runs the interleavings of a model's threads with at most two preemptions, or, where
/// `HLOOM_MODELS` is `thorough`, with at most `preemptions` (`None`: all interleavings).
fn check(preemptions: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let mut checker = loom::model::Builder::new();
    let thorough = std::env::var_os("HLOOM_MODELS").is_some_and(|depth| depth == "thorough");
    checker.preemption_bound = if thorough { preemptions } else { Some(2) };
    checker.max_branches = 10_000;
    checker.check(model);
}

/// Memory in which the checker detects any two unsynchronized accesses.
struct Watched(UnsafeCell<usize>);

// SAFETY: the checker ends the test at the first access from two threads at a time.
unsafe impl Sync for Watched {}
// SAFETY: as above.
unsafe impl Send for Watched {}

impl Watched {
    fn new(value: usize) -> Watched {
        Watched(UnsafeCell::new(value))
    }

    fn read(&self) -> usize {
        // SAFETY: as above.
        self.0.with(|value| unsafe { *value })
    }

    fn write(&self, new: usize) {
        // SAFETY: as above.
        self.0.with_mut(|value| unsafe { *value = new });
    }
}
