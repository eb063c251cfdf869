//! Host memory that a plugin uses.

use crate::client::ClientInner;
use crate::lease_slot::LeaseSlot;
use crate::{Error, Event, Result};
use std::future::Future;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Host memory lent to a plugin: the owner comes back, or is dropped, when the plugin lets go.
///
/// Dropping the lease does not end it: the owner is then dropped by the plugin's thread that lets
/// go of the memory.
pub struct HostLease<O> {
    slot: LeaseSlot<Lent<O>>,
    event: Event,
}

/// An owner that is lent, and counted as such.
struct Lent<O> {
    owner: Owner<O>,
    _counted: Counted,
}

struct Counted(Arc<ClientInner>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.counters.host_memory.remove();
    }
}

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

    /// Never frees the memory: the plugin uses it, and nothing tells until when.
    pub(crate) fn leak(self) {
        tracing::warn!("host memory is never freed: the plugin does not tell when it lets go of it");
        std::mem::forget(self);
    }

    fn into_inner(self) -> O {
        let this = ManuallyDrop::new(self);
        // SAFETY: made from a box, which is made whole once: `this` is not dropped.
        *unsafe { Box::from_raw(this.0.as_ptr()) }
    }
}

impl<O> Drop for Owner<O> {
    fn drop(&mut self) {
        // SAFETY: made from a box, which is made whole once.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl<O: Send + 'static> HostLease<O> {
    /// Keeps `owner` where it is until `done` happens.
    ///
    /// # Errors
    /// The plugin cannot call back; the memory is then never freed, unless `done` has happened.
    pub(crate) fn new(owner: Owner<O>, done: Event) -> Result<Self> {
        let client = Arc::clone(done.client_inner());
        client.counters.host_memory.add();
        let _counted = Counted(client);
        let (slot, share) = LeaseSlot::lend(Lent { owner, _counted });
        let lease = Self { slot, event: done };
        if let Err(error) = lease.event.on_ready(move |_| drop(share)) {
            match (lease.slot.take(), lease.event.is_ready()) {
                (lent, Ok(true)) => drop(lent),
                (Some(lent), _) => lent.owner.leak(),
                (None, _) => {}
            }
            return Err(error);
        }
        Ok(lease)
    }

    /// Blocks until the plugin lets go of the memory, and gives its owner back.
    ///
    /// For zero-copy buffers that is after the buffer, and every result that took its memory over,
    /// is dropped.
    ///
    /// # Errors
    /// That of the transfer; the owner is then dropped.
    pub fn wait(self) -> Result<O> {
        self.event.wait()?;
        self.take_owner()
    }

    /// Whether the plugin has let go of the memory.
    ///
    /// # Errors
    /// The plugin's own.
    pub fn is_over(&self) -> Result<bool> {
        self.event.is_ready()
    }

    /// The event that the plugin lets go.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Takes the owner of memory that the plugin has let go of.
    fn take_owner(&self) -> Result<O> {
        match self.slot.take() {
            Some(lent) => Ok(lent.owner.into_inner()),
            None => Err(Error::argument("the owner of host memory was given back before")),
        }
    }
}

impl<O: Send + 'static> Future for HostLease<O> {
    type Output = Result<O>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = Pin::new(&mut self.event).poll(context);
        outcome.map(|outcome| outcome.and_then(|()| self.take_owner()))
    }
}

impl<O> std::fmt::Debug for HostLease<O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostLease")
            .field("event", &self.event)
            .finish_non_exhaustive()
    }
}
