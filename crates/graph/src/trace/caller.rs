//! The caller's location of ops.

use super::TRACES;
use std::panic::Location;

/// Runs `f` with `location` as the caller's location of all its ops: for functions of higher crates
/// that consist of several ops.
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
