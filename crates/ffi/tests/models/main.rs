//! The crate's state machine under a model checker, which runs the interleavings of its threads.
//!
//! Apart from `it`: the sources are compiled with the checker's atomics and threads.

mod sync;

#[path = "../../src/settlement.rs"]
mod settlement;

mod deferred_calls;

use loom::cell::UnsafeCell;

/// Runs the interleavings of a model's threads with at most two preemptions, or all of them where
/// `HLOOM_MODELS` is `thorough`.
fn check(model: impl Fn() + Send + Sync + 'static) {
    let mut checker = loom::model::Builder::new();
    let thorough = std::env::var_os("HLOOM_MODELS").is_some_and(|depth| depth == "thorough");
    checker.preemption_bound = if thorough { None } else { Some(2) };
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

    fn write(&self, new: usize) {
        // SAFETY: as above.
        self.0.with_mut(|value| unsafe { *value = new });
    }
}
