//! Execute contexts: the data that executions pass to custom calls.

use crate::{
    Result,
    client::{Client, core::ClientInner},
    sys,
};
use std::{
    any::Any,
    ptr::NonNull,
    sync::{Arc, Mutex, PoisonError},
};

/// Data that an execution passes to the custom calls of its program. Cheap to clone.
///
/// An execution keeps its context, and what the context owns, until it has completed.
#[derive(Clone)]
pub struct ExecuteContext {
    inner: Arc<Inner>,
}

struct Inner {
    client: Arc<ClientInner>,
    raw: NonNull<sys::PJRT_ExecuteContext>,
    owned: Mutex<Vec<Box<dyn Any + Send + Sync>>>,
}

// SAFETY: the context is only added to by functions that the plugin locks.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl ExecuteContext {
    /// An empty context.
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn new(client: &Client) -> Result<Self> {
        let api = client.inner.api;
        let mut args: sys::PJRT_ExecuteContext_Create_Args = api.zeroed();
        // SAFETY: no inputs.
        unsafe { api.call(&mut args) }?;
        let raw = api.handle(args.context, "PJRT_ExecuteContext_Create")?;
        let client = Arc::clone(&client.inner);
        Ok(Self { inner: Arc::new(Inner { client, raw, owned: Mutex::default() }) })
    }

    /// The client.
    pub fn client(&self) -> Client {
        Client { inner: Arc::clone(&self.inner.client) }
    }

    /// Keeps a value as long as the context, and the executions that use it, live.
    pub fn keep(&self, value: Box<dyn Any + Send + Sync>) {
        self.inner.owned.lock().unwrap_or_else(PoisonError::into_inner).push(value);
    }

    /// Whether other handles, or executions that have not completed, use the context.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.inner) > 1
    }

    /// The pointer, for calls that this crate does not wrap. Valid while the context lives.
    pub fn as_ptr(&self) -> *mut sys::PJRT_ExecuteContext {
        self.inner.raw.as_ptr()
    }

    pub(crate) fn client_inner(&self) -> &Arc<ClientInner> {
        &self.inner.client
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let mut args: sys::PJRT_ExecuteContext_Destroy_Args = self.client.api.zeroed();
        args.context = self.raw.as_ptr();
        // SAFETY: this handle owns the context, which is not used again. The values that it points
        // to are dropped after it.
        unsafe { self.client.api.release(&mut args) };
    }
}

impl std::fmt::Debug for ExecuteContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let owned = self.inner.owned.lock().unwrap_or_else(PoisonError::into_inner).len();
        f.debug_struct("ExecuteContext").field("owned", &owned).finish_non_exhaustive()
    }
}
