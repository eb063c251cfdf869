//! The place where what was lent comes back.

use crate::sync::{Mutex, yield_now};
use std::sync::{Arc, PoisonError};

/// Where the owner of lent memory is put when the borrower lets go. Dropping it leaves the owner to the borrower, with whom it is
/// dropped.
pub(crate) struct LeaseSlot<O>(Arc<Mutex<Option<O>>>);

/// The owner, for as long as its memory is lent. Dropping it puts the owner into the slot.
pub(crate) struct Lent<O> {
    owner: Option<O>,
    slot: LeaseSlot<O>,
}

impl<O> LeaseSlot<O> {
    /// Keeps the owner away until what is returned beside the slot is dropped.
    pub fn lend(owner: O) -> (Self, Lent<O>) {
        let slot = Arc::new(Mutex::new(None));
        let lent = Lent {
            owner: Some(owner),
            slot: Self(Arc::clone(&slot)),
        };
        (Self(slot), lent)
    }

    /// The owner, if it has come back and was not taken.
    pub fn take(&self) -> Option<O> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Waits for the owner, which comes back in a moment.
    pub fn wait(&self) -> O {
        loop {
            if let Some(owner) = self.take() {
                return owner;
            }
            yield_now();
        }
    }
}

impl<O> Drop for Lent<O> {
    fn drop(&mut self) {
        // Without the other slot any more, this one is freed with it, and the owner too.
        *self.slot.0.lock().unwrap_or_else(PoisonError::into_inner) = self.owner.take();
    }
}
