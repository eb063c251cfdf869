//! The owner of the call that a callback belongs to.
//!
//! A layer that keeps threads waiting for values, as lazy tensors do, has to know whether a thread
//! runs a callback of the very program that computes them: that wait would never end. Such a layer
//! numbers its calls. The record of a call takes the number from the thread that makes the call,
//! and hands it to each thread that runs its callbacks.

use std::cell::Cell;

thread_local! {
    static OWNER: Cell<u64> = const { Cell::new(0) };
}

/// The number of the innermost [`with_call_owner`] that called the program of the callback that
/// this thread runs, or that this thread is in; 0 if there is none.
#[doc(hidden)]
pub fn call_owner() -> u64 {
    OWNER.get()
}

/// Runs `work`, such as a call of a program, as the owner of this number.
#[doc(hidden)]
pub fn with_call_owner<R>(number: u64, work: impl FnOnce() -> R) -> R {
    /// Restores the number also when the work panics.
    struct Restore(u64);
    impl Drop for Restore {
        fn drop(&mut self) {
            OWNER.set(self.0);
        }
    }
    let _restore = Restore(OWNER.replace(number));
    work()
}
