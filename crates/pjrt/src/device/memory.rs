//! Memories of a client's devices.

use crate::client::{Client, ClientInner};
use crate::{Device, Error, Result, sys};
use std::sync::Arc;
use sys::{slice, string};

/// A memory that devices of a client use. Cheap to clone; equal if it is the same memory.
#[derive(Clone)]
pub struct Memory {
    pub(crate) client: Arc<ClientInner>,
    pub(crate) index: usize,
}

/// The cached properties of a client's memory.
pub(crate) struct MemoryData {
    pub(crate) raw: *mut sys::PJRT_Memory,
    pub(crate) id: i64,
    pub(crate) kind: String,
    pub(crate) kind_id: i64,
    pub(crate) debug_string: String,
    pub(crate) display: String,
    pub(crate) devices: Vec<usize>,
}

impl MemoryData {
    /// Copies the properties of a memory.
    ///
    /// # Safety
    /// `raw` is a memory of this plugin that is alive.
    pub(crate) unsafe fn read(
        api: &crate::Api,
        raw: *mut sys::PJRT_Memory,
        devices: &[crate::device::DeviceData],
    ) -> Result<Self> {
        let mut id: sys::PJRT_Memory_Id_Args = api.zeroed();
        id.memory = raw;
        let mut kind: sys::PJRT_Memory_Kind_Args = api.zeroed();
        kind.memory = raw;
        let mut kind_id: sys::PJRT_Memory_Kind_Id_Args = api.zeroed();
        kind_id.memory = raw;
        let mut debug: sys::PJRT_Memory_DebugString_Args = api.zeroed();
        debug.memory = raw;
        let mut display: sys::PJRT_Memory_ToString_Args = api.zeroed();
        display.memory = raw;
        let mut by: sys::PJRT_Memory_AddressableByDevices_Args = api.zeroed();
        by.memory = raw;
        // SAFETY: the memory is alive; texts and arrays belong to it and are copied here.
        unsafe {
            api.call(&mut id)?;
            api.call(&mut kind)?;
            api.call(&mut kind_id)?;
            api.call(&mut debug)?;
            api.call(&mut display)?;
            api.call(&mut by)?;
            let by = slice(by.devices, by.num_devices).iter();
            Ok(Self {
                raw,
                id: i64::from(id.id),
                kind: string(kind.kind, kind.kind_size),
                kind_id: i64::from(kind_id.kind_id),
                debug_string: string(debug.debug_string, debug.debug_string_size),
                display: string(display.to_string, display.to_string_size),
                devices: by
                    .filter_map(|&d| devices.iter().position(|data| data.raw == d))
                    .collect(),
            })
        }
    }
}

impl Memory {
    fn data(&self) -> &MemoryData {
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

    /// The devices that use it.
    pub fn devices(&self) -> Vec<Device> {
        let device = |&index: &usize| Device { client: Arc::clone(&self.client), index };
        self.data().devices.iter().map(device).collect()
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
        match Arc::ptr_eq(&self.client, client) {
            true => Ok(()),
            false => Err(Error::ForeignClient { what: format!("memory {}", self.id()) }),
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
