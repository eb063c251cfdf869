//! Slots for the owner of lent memory, shared by lender and borrower.

use crate::sync::Mutex;
use std::sync::{Arc, PoisonError};

/// The owner of lent memory, until the lender takes it back. An owner that is not taken back is
/// dropped with the last of the slot and the borrower's share.
pub(crate) struct LeaseSlot<O>(Arc<Mutex<Option<O>>>);

/// The borrower's share of a slot, which keeps the owner alive.
pub(crate) struct Share<O> {
    _slot: Arc<Mutex<Option<O>>>,
}

impl<O> LeaseSlot<O> {
    /// A slot with the owner, and the share of the borrower of its memory.
    pub fn lend(owner: O) -> (Self, Share<O>) {
        let slot = Arc::new(Mutex::new(Some(owner)));
        let _slot = Arc::clone(&slot);
        (Self(slot), Share { _slot })
    }

    /// The owner, if it was not taken before. To be called when the borrower has released the
    /// memory.
    pub fn take(&self) -> Option<O> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
