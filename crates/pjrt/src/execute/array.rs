//! Arrays with elements that a plugin holds pointers to.

use std::{
    ops::{Deref, DerefMut},
    ptr::NonNull,
};

/// A boxed slice whose pointers stay valid while it is also used through references: a box would
/// assert unique access to its elements whenever it is borrowed or moved.
pub(crate) struct Array<T>(NonNull<[T]>);

// SAFETY: owned like a box.
unsafe impl<T: Send> Send for Array<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Array<T> {}

impl<T> Array<T> {
    /// The start of the elements, to be read and written by the plugin while no reference to them
    /// is in use.
    pub(crate) fn start(&self) -> *mut T {
        self.0.as_ptr().cast()
    }
}

impl<T> From<Vec<T>> for Array<T> {
    fn from(values: Vec<T>) -> Self {
        Self(NonNull::from(Box::leak(values.into_boxed_slice())))
    }
}

impl<T> Deref for Array<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: alive until `self` is dropped; the plugin writes only during a call that borrows
        // the whole exclusively.
        unsafe { self.0.as_ref() }
    }
}

impl<T> DerefMut for Array<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, borrowed exclusively.
        unsafe { self.0.as_mut() }
    }
}

impl<T> Drop for Array<T> {
    fn drop(&mut self) {
        // SAFETY: made from a box, and turned back into one once.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}
