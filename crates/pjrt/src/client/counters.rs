//! How many objects are alive, for leak tests.

use crate::client::ClientInner;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError, Weak};

/// A count of live objects.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicUsize);

impl Counter {
    #[inline]
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    #[inline]
    pub(crate) fn remove(&self) {
        self.0.fetch_sub(1, Relaxed);
    }

    fn get(&self) -> usize {
        self.0.load(Relaxed)
    }
}

/// The counts of one client.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) buffers: Counter,
    pub(crate) loaded_executables: Counter,
    pub(crate) events: Counter,
    pub(crate) host_memory: Counter,
}

/// How many objects of a client (or of all clients) are alive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Alive {
    /// Buffers, deleted and donated ones included until they are dropped.
    pub buffers: usize,
    /// Loaded executables.
    pub loaded_executables: usize,
    /// Events.
    pub events: usize,
    /// Pieces of host memory that the plugin still reads or writes.
    pub host_memory: usize,
}

impl Counters {
    pub(crate) fn alive(&self) -> Alive {
        Alive {
            buffers: self.buffers.get(),
            loaded_executables: self.loaded_executables.get(),
            events: self.events.get(),
            host_memory: self.host_memory.get(),
        }
    }
}

/// The clients of this process. Whatever is alive keeps its client alive, so their sum is exact.
static CLIENTS: Mutex<Vec<Weak<ClientInner>>> = Mutex::new(Vec::new());

pub(crate) fn register(client: Weak<ClientInner>) {
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    clients.retain(|c| c.strong_count() > 0);
    clients.push(client);
}

/// How many objects of all clients of this process are alive.
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
