//! Handlers of launches over several devices.
//!
//! A plugin serializes launches over several devices: collectives of two of them would otherwise
//! wait for each other's devices. So a handler of such a launch deadlocks if it makes another one
//! and waits for its results.

use crate::{Error, Result};
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::Arc;

thread_local! {
    /// The handler that this thread runs.
    ///
    /// Has no destructor, so that the destructors of other thread-local values can launch. Nothing
    /// is lost with the thread: it is `None` outside of handlers.
    static CALLER: ManuallyDrop<RefCell<Option<Arc<str>>>> =
        const { ManuallyDrop::new(RefCell::new(None)) };
}

/// Runs code of a handler of a launch over several devices. Until it returns, launches over several
/// devices that this thread makes are refused with [`Error::NestedLaunch`], which names `caller`.
///
/// A handler whose program runs on one device does not need this: its launches do not wait for it.
/// Launches that it makes on other threads, and waits for, are not detected.
pub fn within_launch<R>(caller: &Arc<str>, body: impl FnOnce() -> R) -> R {
    struct Restore(Option<Arc<str>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CALLER.with(|caller| caller.replace(self.0.take()));
        }
    }
    let _restore = Restore(CALLER.with(|current| current.replace(Some(Arc::clone(caller)))));
    body()
}

/// Refuses a launch over several devices that this thread's caller would wait for.
pub(crate) fn check(program: &str) -> Result<()> {
    match CALLER.with(|caller| caller.borrow().clone()) {
        None => Ok(()),
        Some(caller) => {
            Err(Error::NestedLaunch { program: program.to_owned(), caller: caller.to_string() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_refused_until_the_outermost_handler_returns() {
        let (outer, inner): (Arc<str>, Arc<str>) =
            ("callback `a` of `outer`".into(), "callback `b` of `inner`".into());
        assert!(check("p").is_ok());
        within_launch(&outer, || {
            within_launch(&inner, || {
                let message = check("p").unwrap_err().to_string();
                assert!(
                    message.contains("`p`") && message.contains("callback `b` of `inner`"),
                    "{message}"
                );
            });
            let panicked = std::panic::catch_unwind(|| within_launch(&inner, || panic!("stop")));
            assert!(panicked.is_err());
            let message = check("p").unwrap_err().to_string();
            assert!(message.contains("callback `a` of `outer`"), "{message}");
            assert!(std::thread::spawn(|| check("p")).join().unwrap().is_ok());
        });
        assert!(check("p").is_ok());
    }
}
