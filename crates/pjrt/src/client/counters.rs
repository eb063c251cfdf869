//! The number of living objects, for leak tests.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

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

/// The number of living objects of a client, or of all clients.
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
