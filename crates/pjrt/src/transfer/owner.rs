//! Owners of host memory that a plugin uses.

use std::{mem::ManuallyDrop, ptr::NonNull};

/// An owner of host memory, by pointer: the plugin reads (or writes) what it owns, so no reference
/// or box may claim it in the meantime.
pub(crate) struct Owner<O>(NonNull<O>);

// SAFETY: owned like a box.
unsafe impl<O: Send> Send for Owner<O> {}
// SAFETY: as above.
unsafe impl<O: Sync> Sync for Owner<O> {}

impl<O> Owner<O> {
    pub(crate) fn new(owner: O) -> Self {
        Self(NonNull::from(Box::leak(Box::new(owner))))
    }

    pub(crate) fn get(&self) -> &O {
        // SAFETY: alive until `self` is dropped.
        unsafe { self.0.as_ref() }
    }

    pub(crate) fn get_mut(&mut self) -> &mut O {
        // SAFETY: alive until `self` is dropped, and borrowed exclusively.
        unsafe { self.0.as_mut() }
    }

    /// Never frees the memory: the plugin uses it for an unknown time.
    pub(crate) fn leak(self) {
        tracing::warn!(
            "host memory is never freed: the plugin does not report when it releases it"
        );
        std::mem::forget(self);
    }

    pub(crate) fn into_inner(self) -> O {
        let this = ManuallyDrop::new(self);
        // SAFETY: made from a box, and turned back into one once: `this` is not dropped.
        *unsafe { Box::from_raw(this.0.as_ptr()) }
    }
}

impl<O> Drop for Owner<O> {
    fn drop(&mut self) {
        // SAFETY: made from a box, and turned back into one once.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}
