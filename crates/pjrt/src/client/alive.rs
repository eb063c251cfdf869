//! The number of living objects of all clients.

use crate::client::{core::ClientInner, counters::Alive};
use std::sync::{Mutex, PoisonError, Weak};

/// The clients of this process. Whatever is alive keeps its client alive, so their sum is exact.
static CLIENTS: Mutex<Vec<Weak<ClientInner>>> = Mutex::new(Vec::new());

pub(crate) fn register(client: Weak<ClientInner>) {
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    clients.retain(|c| c.strong_count() > 0);
    clients.push(client);
}

/// The number of living objects of all clients of this process.
pub fn alive() -> Alive {
    let clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    // Collected first: dropping the last handle of a client must not happen under the lock.
    let clients: Vec<_> = { clients }.iter().filter_map(Weak::upgrade).collect();
    clients.iter().map(|c| c.counters.alive()).fold(Alive::default(), |a, b| Alive {
        buffers: a.buffers + b.buffers,
        loaded_executables: a.loaded_executables + b.loaded_executables,
        events: a.events + b.events,
        host_memory: a.host_memory + b.host_memory,
    })
}
