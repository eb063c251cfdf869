//! The line that ops count as called from.

use super::TRACES;
use std::panic::Location;

/// Runs `f`, whose ops all count as called from `location`: for functions above this crate that are made of several ops.
pub fn at<R>(location: &'static Location<'static>, f: impl FnOnce() -> R) -> R {
    /// Restores the location around the call, also when `f` panics.
    struct Restore(Option<&'static Location<'static>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            TRACES.with_borrow_mut(|traces| traces.caller = self.0);
        }
    }
    let _restore = Restore(TRACES.with_borrow_mut(|traces| traces.caller.replace(location)));
    f()
}
