//! Sets an environment variable while a library is loaded.

use std::ffi::CStr;

/// Runs `body` while the environment has the variable, given as `NAME=value`. The environment is as
/// before afterwards.
///
/// `setenv` frees memory that a `getenv` of another thread may be reading. Here nothing is freed or
/// overwritten: the list of variables is replaced by a longer one that lives as long as the process
/// (some hundred bytes for each call), so that a concurrent reader of the environment sees one list
/// or the other.
#[cfg(target_os = "linux")]
pub(crate) fn with_variable<R>(variable: &'static CStr, body: impl FnOnce() -> R) -> R {
    use std::{
        ffi::c_char,
        ptr::null_mut,
        sync::{
            Mutex, PoisonError,
            atomic::{AtomicPtr, Ordering::SeqCst},
        },
    };

    // Two at the same time would restore each other's lists.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

    unsafe extern "C" {
        static mut environ: *mut *mut c_char;
    }

    struct Restore {
        original: *mut *mut c_char,
        longer: *mut *mut c_char,
    }

    impl Drop for Restore {
        fn drop(&mut self) {
            // The list differs if the library has set variables, which stay.
            let _ = list().compare_exchange(self.longer, self.original, SeqCst, SeqCst);
        }
    }

    fn list() -> &'static AtomicPtr<*mut c_char> {
        // SAFETY: an aligned pointer that lives as long as the process. Others read it with plain
        // loads, which do not tear.
        unsafe { AtomicPtr::from_ptr(&raw mut environ) }
    }

    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let original = list().load(SeqCst);
    let mut longer = vec![variable.as_ptr().cast_mut()];
    let mut next = original;
    // SAFETY: the list is null or ends with null. Nobody changes it: callers of `set_var` and
    // `putenv` promise that no other thread reads the environment, and a library that is loaded
    // reads it.
    while let Some(&entry) = unsafe { next.as_ref() }.filter(|entry| !entry.is_null()) {
        longer.push(entry);
        next = next.wrapping_add(1);
    }
    longer.push(null_mut());
    let longer = longer.leak().as_mut_ptr();
    list().store(longer, SeqCst);
    let _restore = Restore { original, longer };
    body()
}

/// Runs `body`.
#[cfg(not(target_os = "linux"))]
pub(crate) fn with_variable<R>(_variable: &'static CStr, body: impl FnOnce() -> R) -> R {
    body()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_variable_is_there_meanwhile_and_nothing_else_changes() {
        let before: Vec<_> = std::env::vars_os().collect();
        let name = "HLOOM_TEST_WITH_VARIABLE";
        let inside = with_variable(c"HLOOM_TEST_WITH_VARIABLE=here", || {
            // SAFETY: a string that ends with zero.
            let found = unsafe { libc::getenv(c"HLOOM_TEST_WITH_VARIABLE".as_ptr()) };
            assert!(!found.is_null());
            // SAFETY: not null, and a string of the environment that nobody changes.
            assert_eq!(unsafe { CStr::from_ptr(found) }, c"here");
            assert_eq!(std::env::var(name).as_deref(), Ok("here"));
            std::env::vars_os().filter(|(variable, _)| variable != name).collect::<Vec<_>>()
        });
        assert_eq!(inside, before);
        assert_eq!(std::env::vars_os().collect::<Vec<_>>(), before);
        let panicked = std::panic::catch_unwind(|| {
            with_variable(c"HLOOM_TEST_WITH_VARIABLE=here", || panic!("inside"))
        });
        assert!(panicked.is_err());
        assert!(std::env::var_os(name).is_none());
    }
}
