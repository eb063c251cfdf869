//! The heap that the process shares with its plugins.

use std::time::Duration;

/// A compilation of this length frees enough memory to be worth the millisecond that trimming
/// takes.
const MIN_COMPILATION: Duration = Duration::from_millis(100);

/// Returns the memory that a compiler has freed to the system, where the C library would keep it.
pub(crate) fn trim_after(compilation: Duration) {
    if compilation >= MIN_COMPILATION {
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
    // SAFETY: a function of glibc; it takes glibc's own locks, and touches no memory that is in
    // use.
    unsafe { malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn trim() {}
