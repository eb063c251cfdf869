//! The heap that a process shares with its plugins.

use std::time::Duration;

/// What takes a compiler so long leaves enough free memory behind to be worth the millisecond that giving it back takes.
const LONG: Duration = Duration::from_millis(100);

/// Gives the memory that a compiler has freed back to the system, where the C library would keep it.
pub(crate) fn trim_after(compilation: Duration) {
    if compilation >= LONG {
        trim();
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "a function of the C library")]
fn trim() {
    use std::ffi::c_int;
    unsafe extern "C" {
        fn malloc_trim(pad: usize) -> c_int;
    }
    // SAFETY: glibc's own; it takes its locks, and touches no memory that is in use.
    unsafe { malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn trim() {}
