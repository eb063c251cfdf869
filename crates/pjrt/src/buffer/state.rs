//! The state of a buffer: alive, deleted or donated; and the views that forbid deletion and
//! donation.

use crate::{
    Buffer, Error, Result,
    buffer::fate::{ALIVE, DELETED, DONATED, FATE, VIEW},
    sys,
};
use std::sync::atomic::Ordering;

impl Buffer {
    /// Frees the memory as soon as nothing on the device uses it any more; reading the buffer or
    /// passing it to an execution is an error from now on. Deleting twice does nothing.
    ///
    /// # Errors
    /// A view of the memory is alive, the buffer was donated, or the plugin's error.
    pub fn delete(&self) -> Result<()> {
        match self.end(DELETED, || "delete".to_owned()) {
            Ok(()) => {}
            Err(Error::Deleted { .. }) => return Ok(()),
            Err(error) => return Err(error),
        }
        let mut args: sys::PJRT_Buffer_Delete_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive, and no view of its memory is.
        unsafe { self.api().call(&mut args) }.inspect_err(|_| self.cancel_donation())
    }

    /// Whether the memory is gone, by [`Buffer::delete`] or by donation.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn is_deleted(&self) -> Result<bool> {
        Ok(self.fate() != ALIVE || self.plugin_says_deleted()?)
    }

    /// Whether an execution, an alias or a bitcast took the buffer over.
    pub fn is_donated(&self) -> bool {
        self.fate() == DONATED
    }

    /// Declares the buffer donated, after a call that this crate does not wrap took it over.
    pub fn mark_donated(&self) {
        self.state.fetch_or(DONATED, Ordering::AcqRel);
    }

    #[inline]
    pub(crate) fn fate(&self) -> u32 {
        self.state.load(Ordering::Acquire) & FATE
    }

    /// Whether the buffer is neither deleted nor donated.
    #[inline]
    pub(crate) fn is_alive(&self) -> bool {
        self.fate() == ALIVE
    }

    /// Returns an error if the buffer was deleted or donated.
    pub(crate) fn check_alive(&self, what: &str) -> Result<()> {
        Self::check_fate(self.fate(), what)
    }

    fn check_fate(state: u32, what: &str) -> Result<()> {
        match state & FATE {
            ALIVE => Ok(()),
            DELETED => Err(Error::Deleted { what: what.to_owned() }),
            _ => Err(Error::Donated { what: what.to_owned() }),
        }
    }

    /// Marks a live buffer without views as deleted or donated.
    fn end(&self, fate: u32, what: impl FnOnce() -> String) -> Result<()> {
        match self.state.compare_exchange(ALIVE, fate, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok(()),
            Err(state) => {
                let what = what();
                Self::check_fate(state, &what)?;
                Err(Error::Viewed { what })
            }
        }
    }

    /// Marks a live buffer as donated, before the call that takes it over.
    pub(crate) fn begin_donation(&self, what: impl FnOnce() -> String) -> Result<()> {
        self.end(DONATED, what)
    }

    /// Donates the buffer to a call that takes it over, unless the guard is dropped before
    /// [`DonationGuard::commit`].
    pub(crate) fn donate(&self, what: impl FnOnce() -> String) -> Result<DonationGuard<'_>> {
        self.begin_donation(what)?;
        Ok(DonationGuard(self))
    }

    /// Returns an error for an alias that is not ready: the plugin would wait for its memory,
    /// forever if this thread has the promise. Or the error that the alias was set to.
    pub(crate) fn check_fulfilled(&self, what: &str) -> Result<()> {
        if !self.is_alias {
            return Ok(());
        }
        let event = self.ready_event()?;
        if event.is_ready()? {
            event.wait()
        } else {
            Err(Error::argument(format!("{what}: the alias is not ready, wait for it first")))
        }
    }

    /// Reverts [`Buffer::begin_donation`] after a call that failed.
    pub(crate) fn cancel_donation(&self) {
        if !self.plugin_says_deleted().unwrap_or(true) {
            self.state.store(ALIVE, Ordering::Release);
        }
    }

    /// Counts a view of the memory, which forbids donation and deletion.
    pub(crate) fn begin_view(&self, what: &str) -> Result<()> {
        let add = |state| (state & FATE == ALIVE).then_some(state + VIEW);
        match self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, add) {
            Ok(_) => Ok(()),
            Err(state) => Self::check_fate(state, what),
        }
    }

    /// Ends a view.
    pub(crate) fn end_view(&self) {
        self.state.fetch_sub(VIEW, Ordering::AcqRel);
    }

    fn plugin_says_deleted(&self) -> Result<bool> {
        let mut args: sys::PJRT_Buffer_IsDeleted_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive.
        unsafe { self.api().call(&mut args) }?;
        Ok(args.is_deleted)
    }
}

/// A donation that is reverted unless it is committed.
pub(crate) struct DonationGuard<'a>(&'a Buffer);

impl DonationGuard<'_> {
    /// Leaves the buffer donated.
    pub(crate) fn commit(self) {
        std::mem::forget(self);
    }
}

impl Drop for DonationGuard<'_> {
    fn drop(&mut self) {
        self.0.cancel_donation();
    }
}
