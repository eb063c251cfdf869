//! Free lists of boxes.

use crate::sync::{AtomicPtr, Mutex};
use std::{
    ptr::null_mut,
    sync::{PoisonError, atomic::Ordering},
};

/// Boxes that are not in use: a lock-free slot for one item, and a locked list for the rest.
pub(crate) struct FreeList<T> {
    at_hand: AtomicPtr<T>,
    // Boxed, so that a frame never moves: it is half a kilobyte.
    #[allow(clippy::vec_box, reason = "they are handed around as boxes")]
    others: Mutex<Vec<Box<T>>>,
}

impl<T> FreeList<T> {
    /// The maximum number of others.
    const MAX_OTHERS: usize = 64;

    #[inline]
    pub fn take(&self) -> Option<Box<T>> {
        let item = self.at_hand.swap(null_mut(), Ordering::Acquire);
        if item.is_null() {
            return self.others.lock().unwrap_or_else(PoisonError::into_inner).pop();
        }
        // SAFETY: put there by `put`, and taken by nobody else.
        Some(unsafe { Box::from_raw(item) })
    }

    #[inline]
    pub fn put(&self, item: Box<T>) {
        let item = Box::into_raw(item);
        if self
            .at_hand
            .compare_exchange(null_mut(), item, Ordering::Release, Ordering::Relaxed)
            .is_ok()
        {
            return;
        }
        // SAFETY: made from a box just now, and not given away.
        let item = unsafe { Box::from_raw(item) };
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if others.len() < Self::MAX_OTHERS {
            others.push(item);
        }
    }
}

impl<T> Default for FreeList<T> {
    fn default() -> Self {
        Self { at_hand: AtomicPtr::new(null_mut()), others: Mutex::new(Vec::new()) }
    }
}

impl<T> Drop for FreeList<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}
