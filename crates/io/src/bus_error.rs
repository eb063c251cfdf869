//! A message for the SIGBUS of a mapped file that loses pages that are in use.
#![allow(unsafe_code, reason = "signal handlers are set by a C function")]

/// Makes the process write a message with the likely reason before it ends by SIGBUS: a mapped file
/// that was truncated in place, or that the disk could not read. It then ends by the same signal.
/// For programs that load checkpoints with [`Access::Mapped`](crate::Access::Mapped), called once
/// at their start; does nothing where there is no SIGBUS.
pub fn explain_bus_errors() {
    #[cfg(unix)]
    unix::install();
}

#[cfg(unix)]
mod unix {
    use std::sync::OnceLock;

    const MESSAGE: &[u8] = b"\nerror: a file that is mapped into memory lost bytes that were in \
        use (SIGBUS): a checkpoint was truncated or overwritten while it was loaded, or its disk \
        failed. Replace files by renaming new ones over them, or load with `Access::Read`.\n";

    /// The previous action of SIGBUS; set before the handler is, and never changed.
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

    pub fn install() {
        // SAFETY: a structure of integers, an address and a set of signals, for which zeros are
        // valid.
        let (mut before, mut action): (libc::sigaction, libc::sigaction) =
            unsafe { std::mem::zeroed() };
        // SAFETY: a null new action only asks; `before` is writable.
        if unsafe { libc::sigaction(libc::SIGBUS, std::ptr::null(), &mut before) } != 0
            || BEFORE.set(before).is_err()
        {
            return;
        }
        action.sa_sigaction = handler as extern "C" fn(libc::c_int) as libc::sighandler_t;
        // Rust's threads have a stack of their own for signals.
        action.sa_flags = libc::SA_ONSTACK;
        // SAFETY: the handler has the type for use without SA_SIGINFO, and calls only functions
        // that are safe in handlers.
        unsafe { libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut()) };
    }

    extern "C" fn handler(_: libc::c_int) {
        // SAFETY: `write` and `sigaction` may be called in a handler; the message and the earlier
        // action live for ever. `BEFORE` is only read: it was set before this handler was.
        unsafe {
            libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            // When this handler returns, the failed access is repeated and runs the previous
            // action: Rust's, which reports a stack overflow, or the system's, which ends the
            // process.
            if let Some(before) = BEFORE.get() {
                libc::sigaction(libc::SIGBUS, before, std::ptr::null_mut());
            }
        }
    }
}
