//! Whether this process was forked from one that used a plugin.
//!
//! A forked child has the memory of its parent and none of its threads. A plugin's threads complete
//! transfers and executions, and destroying a client waits for them; locks that they held are never
//! released in the child. So no function of a plugin is called there.

use std::sync::atomic::{AtomicBool, Ordering};

static FORKED: AtomicBool = AtomicBool::new(false);

/// Registers a handler that marks children forked from now on. To be called before a plugin starts
/// threads.
#[cfg(unix)]
pub(crate) fn watch() {
    extern "C" fn in_child() {
        FORKED.store(true, Ordering::Relaxed);
    }
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // SAFETY: the handler does nothing but store to an atomic.
        let status = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        if status != 0 {
            tracing::warn!(status, "forked processes will not know that they cannot use plugins");
        }
    });
}

/// This platform does not fork.
#[cfg(not(unix))]
pub(crate) fn watch() {}

/// Whether this process was forked after a plugin may have started threads.
#[inline]
pub(crate) fn is_child() -> bool {
    FORKED.load(Ordering::Relaxed)
}
