//! Host memory that a plugin uses.

use crate::{
    Error, Event, Result,
    client::core::ClientInner,
    transfer::{lease_slot::LeaseSlot, owner::Owner},
};
use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// Host memory lent to a plugin: the owner is returned, or dropped, when the plugin releases the
/// memory.
///
/// Dropping the lease does not end it: the owner is then dropped by the plugin's thread that
/// releases the memory.
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

    /// Blocks until the plugin releases the memory, and returns its owner.
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

    /// Whether the plugin has released the memory.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn is_over(&self) -> Result<bool> {
        self.event.is_ready()
    }

    /// The event for the release by the plugin.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Takes the owner of memory that the plugin has released.
    fn take_owner(&self) -> Result<O> {
        match self.slot.take() {
            Some(lent) => Ok(lent.owner.into_inner()),
            None => Err(Error::argument("the owner of host memory was returned before")),
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
        f.debug_struct("HostLease").field("event", &self.event).finish_non_exhaustive()
    }
}
