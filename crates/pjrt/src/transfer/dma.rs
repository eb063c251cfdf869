//! Host memory pinned for DMA.

use crate::{
    Result,
    client::{Client, core::ClientInner},
    sys,
    transfer::owner::Owner,
};
use std::{mem::ManuallyDrop, ops::Deref, sync::Arc};

/// Host memory pinned for the devices of a client, for faster transfers; from
/// [`Client::dma_map`]. Dereferences to the memory's owner.
pub struct DmaMapping<O> {
    client: Arc<ClientInner>,
    start: *mut std::ffi::c_void,
    owner: ManuallyDrop<Owner<O>>,
}

// SAFETY: the mapping is only undone, by whichever thread drops it.
unsafe impl<O: Send> Send for DmaMapping<O> {}
// SAFETY: shared use is shared use of the owner.
unsafe impl<O: Sync> Sync for DmaMapping<O> {}

impl Client {
    /// Pins host memory (API 0.67 and later). Whole pages at page boundaries work best.
    ///
    /// # Errors
    /// The plugin's error (the CPU plugin does not implement it), or the plugin lacks the function.
    pub fn dma_map<O: AsRef<[u8]> + Send + 'static>(&self, owner: O) -> Result<DmaMapping<O>> {
        let owner = Owner::new(owner);
        let bytes = owner.get().as_ref();
        let start = bytes.as_ptr().cast_mut().cast();
        let mut args: sys::PJRT_Client_DmaMap_Args = self.inner.api.zeroed();
        args.client = self.as_ptr();
        args.data = start;
        args.size = bytes.len();
        // SAFETY: the memory lives, where it is, until it is unmapped.
        unsafe { self.inner.api.call(&mut args) }?;
        Ok(DmaMapping { client: Arc::clone(&self.inner), start, owner: ManuallyDrop::new(owner) })
    }
}

impl<O> Deref for DmaMapping<O> {
    type Target = O;

    fn deref(&self) -> &O {
        self.owner.get()
    }
}

impl<O: AsRef<[u8]>> AsRef<[u8]> for DmaMapping<O> {
    fn as_ref(&self) -> &[u8] {
        self.owner.get().as_ref()
    }
}

impl<O> Drop for DmaMapping<O> {
    fn drop(&mut self) {
        let mut args: sys::PJRT_Client_DmaUnmap_Args = self.client.api.zeroed();
        args.client = self.client.raw.as_ptr();
        args.data = self.start;
        // SAFETY: mapped by `dma_map`, and not unmapped yet.
        match unsafe { self.client.api.call(&mut args) } {
            // SAFETY: dropped nowhere else.
            Ok(()) => unsafe { ManuallyDrop::drop(&mut self.owner) },
            Err(error) => tracing::warn!(%error, "host memory stays mapped and is never freed"),
        }
    }
}

impl<O> std::fmt::Debug for DmaMapping<O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DmaMapping").field("start", &self.start).finish_non_exhaustive()
    }
}
