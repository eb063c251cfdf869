//! Callbacks of a plugin: they neither unwind into the plugin, nor destroy a client on one of that
//! client's own threads.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether this thread is inside a callback of a plugin.
pub fn is_running() -> bool {
    DEPTH.get() > 0
}

/// Runs the body of a callback; a panic in it is caught and logged.
pub fn run<R>(what: &'static str, body: impl FnOnce() -> R) -> Option<R> {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            DEPTH.set(DEPTH.get() - 1);
        }
    }
    DEPTH.set(DEPTH.get() + 1);
    let _leave = Leave;
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => Some(value),
        Err(panic) => {
            let message = panic
                .downcast_ref::<&str>()
                .map(|s| (*s).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            tracing::error!(what, message, "a callback panicked");
            // Dropping the panic's payload could panic again.
            std::mem::forget(panic);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_end_here_and_the_depth_is_restored() {
        assert!(!is_running());
        let seen = run("outer", || (is_running(), run("inner", || panic!("stop")), is_running()));
        assert_eq!(seen, Some((true, None::<()>, true)));
        assert!(!is_running());
    }
}
