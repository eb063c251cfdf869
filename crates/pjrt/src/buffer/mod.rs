//! Buffers: arrays on devices.

pub(crate) mod copy;
pub(crate) mod destination;
pub(crate) mod device_buffer;
mod fate;
pub(crate) mod from_host;
pub(crate) mod host_array;
pub(crate) mod host_view;
pub(crate) mod memory_view;
pub(crate) mod read;
pub(crate) mod shared;
mod state;
pub(crate) mod usage;

use crate::{
    Api, DType, Device, Error, Event, Layout, Memory, Result, Spec,
    buffer::{
        fate::{ALIVE, DELETED},
        usage::Usage,
    },
    client::{Client, core::ClientInner},
    execute::nested,
    sys,
};
use std::{
    ptr::NonNull,
    sync::{Arc, atomic::AtomicU32},
};
use sys::slice;

/// An array on a device.
///
/// A buffer may be used before its contents exist: executions and copies wait for them on the
/// device, and reading them returns the error of the program that produces them. Its type and
/// dimensions are kept here, and stay readable after the memory is gone.
///
/// Dropping a buffer frees its memory as soon as nothing on the device uses it any more.
pub struct Buffer {
    pub(crate) raw: NonNull<sys::PJRT_Buffer>,
    pub(crate) spec: Arc<Spec>,
    pub(crate) client: Arc<ClientInner>,
    /// Alive, deleted or donated, and the number of views of its memory: see `fate.rs`.
    pub(crate) state: AtomicU32,
    /// For memory that the host may write to: the executions and copies that still read it.
    pub(crate) usage: Option<Arc<Usage>>,
    /// Whether its memory is that of another buffer, which may not exist yet.
    pub(crate) is_alias: bool,
}

// SAFETY: the C API's buffers are thread-safe, but for the counting of references, which is locked.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Takes ownership of a buffer.
    ///
    /// # Safety
    /// `raw` is a buffer of this client that nobody else destroys, and `spec` is one of the
    /// client's, and that of the buffer.
    #[inline]
    pub(crate) unsafe fn new(
        client: &Arc<ClientInner>,
        raw: NonNull<sys::PJRT_Buffer>,
        spec: Arc<Spec>,
    ) -> Self {
        client.counters.buffers.add();
        Self {
            raw,
            spec,
            client: Arc::clone(client),
            state: AtomicU32::new(ALIVE),
            usage: None,
            is_alias: false,
        }
    }

    /// Takes ownership of a buffer that a call returned.
    ///
    /// # Errors
    /// The plugin returned null.
    ///
    /// # Safety
    /// As for [`Buffer::new`], except that `raw` may be null.
    pub(crate) unsafe fn from_call(
        client: &Arc<ClientInner>,
        raw: *mut sys::PJRT_Buffer,
        spec: Arc<Spec>,
        function: &'static str,
    ) -> Result<Self> {
        let raw = client.api.handle(raw, function)?;
        // SAFETY: by the contract of this function.
        Ok(unsafe { Self::new(client, raw, spec) })
    }

    /// Takes ownership of a buffer made by other means; its type and dimensions are queried.
    ///
    /// # Errors
    /// The plugin's error.
    ///
    /// # Safety
    /// `raw` is a buffer of this client that nobody else destroys.
    pub unsafe fn from_raw(client: &Client, raw: NonNull<sys::PJRT_Buffer>) -> Result<Self> {
        let api = client.inner.api;
        let mut dtype: sys::PJRT_Buffer_ElementType_Args = api.zeroed();
        dtype.buffer = raw.as_ptr();
        let mut dims: sys::PJRT_Buffer_Dimensions_Args = api.zeroed();
        dims.buffer = raw.as_ptr();
        // SAFETY: the buffer is alive; the dimensions belong to it and are copied.
        unsafe {
            api.call(&mut dtype)?;
            api.call(&mut dims)?;
            let dims = slice(dims.dims, dims.num_dims);
            let spec = client.inner.spec(DType::from_raw(dtype.type_), dims);
            Ok(Self::new(&client.inner, raw, spec))
        }
    }

    /// Returns the pointer without destroying the buffer; the caller then owns it, and keeps the
    /// client alive.
    pub fn into_raw(self) -> NonNull<sys::PJRT_Buffer> {
        let this = std::mem::ManuallyDrop::new(self);
        this.client.counters.buffers.remove();
        // SAFETY: `this` is never dropped or used again; each field is moved out once.
        unsafe {
            drop(std::ptr::read(&this.spec));
            drop(std::ptr::read(&this.usage));
            drop(std::ptr::read(&this.client));
        }
        this.raw
    }

    /// Destroys the buffer, as dropping it does, with the plugin's error.
    pub(crate) fn destroy(self) -> Result<()> {
        let client = Arc::clone(&self.client);
        let mut args: sys::PJRT_Buffer_Destroy_Args = client.api.zeroed();
        args.buffer = self.into_raw().as_ptr();
        // SAFETY: this handle owned the buffer, which is not used again.
        unsafe { client.api.call(&mut args) }
    }

    /// The client.
    pub fn client(&self) -> Client {
        Client { inner: Arc::clone(&self.client) }
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.spec.dtype()
    }

    /// The dimensions, outermost first.
    pub fn dims(&self) -> &[i64] {
        self.spec.dims()
    }

    /// Type and dimensions.
    pub fn spec(&self) -> &Arc<Spec> {
        &self.spec
    }

    /// The number of elements.
    ///
    /// # Errors
    /// The dimensions are not those of an array.
    pub fn element_count(&self) -> Result<usize> {
        self.spec.element_count()
    }

    /// Bytes of the contents on the host.
    ///
    /// # Errors
    /// Elements of this type have no host form.
    pub fn host_size(&self) -> Result<usize> {
        self.spec.host_bytes()
    }

    /// The device that holds the buffer.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn device(&self) -> Result<Device> {
        let mut args: sys::PJRT_Buffer_Device_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive.
        unsafe { self.api().call(&mut args) }?;
        let device = Device::find(&self.client, args.device);
        device.ok_or_else(|| Error::argument("the buffer's device is unknown to its client"))
    }

    /// The memory that holds the buffer.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn memory(&self) -> Result<Memory> {
        let mut args: sys::PJRT_Buffer_Memory_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive.
        unsafe { self.api().call(&mut args) }?;
        let memory = Memory::find(&self.client, args.memory);
        memory.ok_or_else(|| Error::argument("the buffer's memory is unknown to its client"))
    }

    /// The layout on the device; `None` for a layout that the C API cannot express.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn layout(&self) -> Result<Option<Layout>> {
        self.check_alive("layout")?;
        let mut args: sys::PJRT_Buffer_GetMemoryLayout_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive; what the layout points to belongs to it and is copied.
        unsafe {
            self.api().call(&mut args)?;
            Ok(Layout::from_raw(&args.layout))
        }
    }

    /// Bytes on the device, with padding.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn on_device_size(&self) -> Result<usize> {
        self.check_alive("on_device_size")?;
        let mut args: sys::PJRT_Buffer_OnDeviceSizeInBytes_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive.
        unsafe { self.api().call(&mut args) }?;
        Ok(args.on_device_size_in_bytes)
    }

    /// The dimensions without padding for dynamic shapes.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn unpadded_dims(&self) -> Result<Vec<i64>> {
        self.check_alive("unpadded_dims")?;
        let mut args: sys::PJRT_Buffer_UnpaddedDimensions_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive; the array belongs to it and is copied.
        unsafe {
            self.api().call(&mut args)?;
            Ok(slice(args.unpadded_dims, args.num_dims).to_vec())
        }
    }

    /// Whether each dimension is dynamic.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn dynamic_dims(&self) -> Result<Vec<usize>> {
        self.check_alive("dynamic_dims")?;
        let mut args: sys::PJRT_Buffer_DynamicDimensionIndices_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive; the array belongs to it and is copied.
        unsafe {
            self.api().call(&mut args)?;
            Ok(slice(args.dynamic_dim_indices, args.num_dynamic_dims).to_vec())
        }
    }

    /// Whether the buffer is in the memory of the host's CPU.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn is_on_cpu(&self) -> Result<bool> {
        let mut args: sys::PJRT_Buffer_IsOnCpu_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive.
        unsafe { self.api().call(&mut args) }?;
        Ok(args.is_on_cpu)
    }

    /// Whether the program shares the buffer's memory (see [`SharedBuffer`](crate::SharedBuffer)).
    pub fn is_shared(&self) -> bool {
        self.usage.is_some()
    }

    /// The event for the contents: it returns the error of the program that produces them, if it
    /// fails.
    ///
    /// # Errors
    /// The buffer was deleted or donated, or the plugin's error.
    pub fn ready_event(&self) -> Result<Event> {
        self.check_alive("ready_event")?;
        let mut args: sys::PJRT_Buffer_ReadyEvent_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive; the new event belongs to us.
        unsafe {
            self.api().call(&mut args)?;
            Event::from_call(&self.client, args.event, "PJRT_Buffer_ReadyEvent")
        }
    }

    /// Blocks until the contents exist.
    ///
    /// # Errors
    /// That of the program that produces them, [`Error::NestedLaunch`], or as for
    /// [`Buffer::ready_event`].
    pub fn wait(&self) -> Result<()> {
        let event = self.ready_event()?;
        nested::check_wait(&self.client, || self.spec.to_string(), || event.is_ready())?;
        event.wait_for_end()
    }

    /// The address of the memory on the device, for DLPack or kernels of your own.
    ///
    /// Waits until the memory is allocated: for a result, until the plugin starts the program. The
    /// address does not imply that the contents exist, and is valid only while the buffer is
    /// neither deleted, donated nor dropped: see [`Buffer::external_reference`] for a guard.
    ///
    /// # Errors
    /// The buffer was deleted or donated, is an alias that is not ready, or the plugin's error.
    pub fn unsafe_pointer(&self) -> Result<usize> {
        self.check_alive("unsafe_pointer")?;
        self.check_fulfilled("unsafe_pointer")?;
        let mut args: sys::PJRT_Buffer_UnsafePointer_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive.
        unsafe { self.api().call(&mut args) }?;
        Ok(args.buffer_pointer)
    }

    /// The pointer, for calls that this crate does not wrap. Valid while the buffer lives.
    pub fn as_ptr(&self) -> *mut sys::PJRT_Buffer {
        self.raw.as_ptr()
    }

    pub(crate) fn api(&self) -> &'static Api {
        self.client.api
    }

    /// Returns an error unless this buffer belongs to `client`.
    pub(crate) fn check_client(&self, client: &Arc<ClientInner>, what: &str) -> Result<()> {
        if Arc::ptr_eq(&self.client, client) {
            Ok(())
        } else {
            Err(Error::ForeignClient { what: what.to_owned() })
        }
    }
}

impl Drop for Buffer {
    #[inline]
    fn drop(&mut self) {
        let mut args: sys::PJRT_Buffer_Destroy_Args = self.api().zeroed();
        args.buffer = self.raw.as_ptr();
        // SAFETY: this handle owns the buffer, which is not used again.
        unsafe { self.api().release(&mut args) };
        self.client.counters.buffers.remove();
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fate = match self.fate() {
            ALIVE => "",
            DELETED => " (deleted)",
            _ => " (donated)",
        };
        write!(f, "Buffer({}{fate})", self.spec)
    }
}
