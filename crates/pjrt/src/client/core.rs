//! The part of a client that all its objects share, and keep alive.

use crate::{
    Api, DType, PlatformKind, Plugin, Spec,
    client::{counters::Counters, key_value::KeyValueStore},
    device::data::{DeviceData, MemoryData},
    execute::{caller_launches::CallerLaunches, launches::Launches},
    plugin::{exit::Awaited, fork},
    spec::Specs,
    sys,
    transfer::owner::Owner,
};
use hloom_ffi::callback;
use std::{
    ptr::NonNull,
    sync::{Arc, Mutex},
};

/// A client of a plugin, destroyed when it is dropped. Its objects hold an `Arc` of it.
pub(crate) struct ClientInner {
    pub(crate) plugin: Plugin,
    pub(crate) api: &'static Api,
    pub(crate) raw: NonNull<sys::PJRT_Client>,
    pub(crate) devices: Vec<DeviceData>,
    pub(crate) addressable: Vec<usize>,
    pub(crate) memories: Vec<MemoryData>,
    pub(super) platform_name: String,
    pub(super) platform_version: String,
    pub(super) process_index: i64,
    pub(crate) counters: Counters,
    pub(crate) specs: Specs,
    /// An empty execute context, for executions without one: a custom call that asks for its user
    /// data crashes the CPU plugin if there is no context at all.
    pub(crate) empty_context: *mut sys::PJRT_ExecuteContext,
    /// Held while a buffer's external references are counted, which plugins do without a lock.
    pub(crate) references: Mutex<()>,
    pub(crate) launches: Launches,
    pub(crate) caller_launches: CallerLaunches,
    pub(super) store: Option<Owner<Arc<dyn KeyValueStore>>>,
    pub(super) _awaited: Awaited,
}

// SAFETY: clients, devices and memories of the C API are thread-safe; the rest is immutable.
unsafe impl Send for ClientInner {}
// SAFETY: as above.
unsafe impl Sync for ClientInner {}

impl ClientInner {
    /// The interned form of a spec.
    pub(crate) fn spec(&self, dtype: DType, dims: &[i64]) -> Arc<Spec> {
        self.specs.intern(dtype, dims)
    }

    /// The kind of the platform.
    pub(crate) fn platform_kind(&self) -> PlatformKind {
        PlatformKind::of(&self.platform_name)
    }
}

impl Drop for ClientInner {
    fn drop(&mut self) {
        if fork::is_child() {
            return;
        }
        let destroy = Destroy {
            api: self.api,
            client: self.raw,
            empty_context: self.empty_context,
            _store: self.store.take(),
        };
        if !callback::is_running() {
            return destroy.run();
        }
        // This is a thread of the client itself: destroying it here would wait for this thread
        // forever.
        let thread = std::thread::Builder::new().name("pjrt-client-drop".to_owned());
        let pending = Awaited::pending();
        let work = move || {
            destroy.run();
            drop(pending);
        };
        if let Err(error) = thread.spawn(work) {
            tracing::error!(%error, "no thread to destroy a client on: it is never destroyed");
        }
    }
}

/// The pointers of a client that is to be destroyed.
struct Destroy {
    api: &'static Api,
    client: NonNull<sys::PJRT_Client>,
    empty_context: *mut sys::PJRT_ExecuteContext,
    // Freed after the client, whose threads may use it until then.
    _store: Option<Owner<Arc<dyn KeyValueStore>>>,
}

// SAFETY: the pointers are handed over to whichever thread destroys them.
unsafe impl Send for Destroy {}

impl Destroy {
    fn run(self) {
        if !self.empty_context.is_null() {
            let mut args: sys::PJRT_ExecuteContext_Destroy_Args = self.api.zeroed();
            args.context = self.empty_context;
            // SAFETY: nothing runs any more that could use it.
            unsafe { self.api.release(&mut args) };
        }
        let mut args: sys::PJRT_Client_Destroy_Args = self.api.zeroed();
        args.client = self.client.as_ptr();
        // SAFETY: no handle to anything of the client is left.
        unsafe { self.api.release(&mut args) };
    }
}
