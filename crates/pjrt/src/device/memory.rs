//! Memories of a client's devices.

use crate::{
    Error, Result,
    client::{Client, core::ClientInner},
    device::data::MemoryData,
    sys,
};
use std::sync::Arc;

/// A memory that devices of a client use. Cheap to clone; equal if it is the same memory.
#[derive(Clone)]
pub struct Memory {
    pub(crate) client: Arc<ClientInner>,
    pub(crate) index: usize,
}

impl Memory {
    /// The client's memory with this pointer of the plugin.
    pub(crate) fn find(client: &Arc<ClientInner>, raw: *mut sys::PJRT_Memory) -> Option<Self> {
        let index = client.memories.iter().position(|memory| memory.raw == raw)?;
        Some(Self { client: Arc::clone(client), index })
    }

    pub(crate) fn data(&self) -> &MemoryData {
        &self.client.memories[self.index]
    }

    /// Its id among the client's memories.
    pub fn id(&self) -> i64 {
        self.data().id
    }

    /// Its kind, such as `device`, `pinned_host` or `unpinned_host`.
    pub fn kind(&self) -> &str {
        &self.data().kind
    }

    /// A number for its kind, which may be negative.
    pub fn kind_id(&self) -> i64 {
        self.data().kind_id
    }

    /// A long text for debugging.
    pub fn debug_string(&self) -> &str {
        &self.data().debug_string
    }

    /// The client.
    pub fn client(&self) -> Client {
        Client { inner: Arc::clone(&self.client) }
    }

    /// The pointer, for calls that this crate does not wrap. Valid while the client lives.
    pub fn as_ptr(&self) -> *mut sys::PJRT_Memory {
        self.data().raw
    }

    /// Returns an error unless this memory belongs to `client`.
    pub(crate) fn check_client(&self, client: &Arc<ClientInner>) -> Result<()> {
        if Arc::ptr_eq(&self.client, client) {
            Ok(())
        } else {
            Err(Error::ForeignClient { what: format!("memory {}", self.id()) })
        }
    }
}

impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.client, &other.client) && self.index == other.index
    }
}

impl Eq for Memory {}

impl std::hash::Hash for Memory {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_ptr().hash(state);
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory({})", self.debug_string())
    }
}

impl std::fmt::Display for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.data().display)
    }
}
