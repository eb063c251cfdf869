//! Buffers: arrays on devices.

use crate::api::{Api, slice};
use crate::client::{Client, ClientInner};
use crate::usage::Usage;
use crate::{DType, Device, Error, Event, Layout, Memory, Result, Spec, sys};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// An array on a device.
///
/// A buffer may be used before its contents exist: executions and copies wait for them on the
/// device, and an error of the program that makes them shows when they are read. Its type and
/// dimensions are kept here, and stay readable after the memory is gone.
///
/// Dropping a buffer frees its memory as soon as nothing on the device uses it any more.
pub struct Buffer {
    pub(crate) raw: NonNull<sys::PJRT_Buffer>,
    pub(crate) spec: Arc<Spec>,
    pub(crate) client: Arc<ClientInner>,
    state: AtomicU32,
    /// For memory that the host may write to: who else uses it.
    pub(crate) usage: Option<Arc<Usage>>,
    /// Whether its memory is that of another buffer, which may not exist yet.
    pub(crate) is_alias: bool,
}

// SAFETY: the C API's buffers are thread-safe, but for the counting of references, which is locked.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

// The state: what became of the buffer in the low bits, the number of views above them.
const ALIVE: u32 = 0;
const DELETED: u32 = 1;
const DONATED: u32 = 2;
const FATE: u32 = 3;
const VIEW: u32 = 4;

impl Buffer {
    /// Takes over a buffer.
    ///
    /// # Safety
    /// `raw` is a buffer of this client that nobody else destroys, and `spec` is one of the
    /// client's, and says what the buffer holds.
    #[inline]
    pub(crate) unsafe fn new(client: &Arc<ClientInner>, raw: NonNull<sys::PJRT_Buffer>, spec: Arc<Spec>) -> Self {
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

    /// Takes over a buffer that a call returned.
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

    /// Takes over a buffer made by other means; its type and dimensions are asked for.
    ///
    /// # Errors
    /// The plugin's own.
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

    /// Gives up the buffer without destroying it; the caller then owns the pointer, and keeps the
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
        Client {
            inner: Arc::clone(&self.client),
        }
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.spec.dtype()
    }

    /// The dimensions, the slowest first.
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
    /// The plugin's own.
    pub fn device(&self) -> Result<Device> {
        let mut args: sys::PJRT_Buffer_Device_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive.
        unsafe { self.api().call(&mut args) }?;
        let device = self.client.device(args.device);
        device.ok_or_else(|| Error::argument("the buffer's device is unknown to its client"))
    }

    /// The memory that holds the buffer.
    ///
    /// # Errors
    /// The plugin's own.
    pub fn memory(&self) -> Result<Memory> {
        let mut args: sys::PJRT_Buffer_Memory_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive.
        unsafe { self.api().call(&mut args) }?;
        let memory = self.client.memory(args.memory);
        memory.ok_or_else(|| Error::argument("the buffer's memory is unknown to its client"))
    }

    /// The order of the elements on the device; `None` for an order that the C API cannot say.
    ///
    /// # Errors
    /// The plugin's own.
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
    /// The plugin's own.
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
    /// The plugin's own.
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

    /// Which dimensions are dynamic.
    ///
    /// # Errors
    /// The plugin's own.
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

    /// Whether the memory is that of the host's processor.
    ///
    /// # Errors
    /// The plugin's own.
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

    /// The event that the contents exist, or of the error of the program that makes them.
    ///
    /// # Errors
    /// The buffer was deleted or donated, or the plugin's own.
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
    /// That of the program that makes them, or as for [`Buffer::ready_event`].
    pub fn wait(&self) -> Result<()> {
        self.ready_event()?.wait()
    }

    /// Frees the memory as soon as nothing on the device uses it any more; reading the buffer or
    /// passing it to an execution is an error from now on. Deleting twice does nothing.
    ///
    /// # Errors
    /// A view of the memory is alive, the buffer was donated, or the plugin's own.
    pub fn delete(&self) -> Result<()> {
        match self.end(DELETED, || "delete".to_owned()) {
            Ok(()) => {}
            Err(Error::Deleted { .. }) => return Ok(()),
            Err(error) => return Err(error),
        }
        let mut args: sys::PJRT_Buffer_Delete_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive, and no view of its memory is.
        unsafe { self.api().call(&mut args) }.inspect_err(|_| self.cancel_donation())
    }

    /// Whether the memory is gone, by [`Buffer::delete`] or by donation.
    ///
    /// # Errors
    /// The plugin's own.
    pub fn is_deleted(&self) -> Result<bool> {
        Ok(self.fate() != ALIVE || self.plugin_says_deleted()?)
    }

    /// Whether an execution took the buffer over.
    pub fn is_donated(&self) -> bool {
        self.fate() == DONATED
    }

    /// The address of the memory on the device, for DLPack or kernels of your own.
    ///
    /// Waits until the memory is allocated: for a result, until the plugin starts the program. The
    /// address says nothing of when the contents exist, and is valid only while the buffer is
    /// neither deleted, donated nor dropped: see [`Buffer::external_reference`] for a guard.
    ///
    /// # Errors
    /// The buffer was deleted or donated, is an alias that is not ready, or the plugin's own.
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

    /// Declares the buffer donated, after a call that this crate does not wrap took it over.
    pub fn mark_donated(&self) {
        self.state.fetch_or(DONATED, Ordering::AcqRel);
    }

    pub(crate) fn api(&self) -> &'static Api {
        self.client.api
    }

    #[inline]
    fn fate(&self) -> u32 {
        self.state.load(Ordering::Acquire) & FATE
    }

    /// Whether nothing ended the buffer yet.
    #[inline]
    pub(crate) fn is_alive(&self) -> bool {
        self.fate() == ALIVE
    }

    /// An error if the buffer was deleted or donated.
    pub(crate) fn check_alive(&self, what: &str) -> Result<()> {
        Self::check_fate(self.fate(), what)
    }

    /// The same, with a text that is made only for the error.
    #[inline]
    pub(crate) fn check_alive_with(&self, what: impl FnOnce() -> String) -> Result<()> {
        match self.fate() {
            ALIVE => Ok(()),
            fate => Self::check_fate(fate, &what()),
        }
    }

    fn check_fate(state: u32, what: &str) -> Result<()> {
        match state & FATE {
            ALIVE => Ok(()),
            DELETED => Err(Error::Deleted { what: what.to_owned() }),
            _ => Err(Error::Donated { what: what.to_owned() }),
        }
    }

    /// An error unless this buffer belongs to `client`.
    pub(crate) fn check_client(&self, client: &Arc<ClientInner>, what: &str) -> Result<()> {
        match Arc::ptr_eq(&self.client, client) {
            true => Ok(()),
            false => Err(Error::ForeignClient { what: what.to_owned() }),
        }
    }

    /// Ends an alive buffer without views.
    fn end(&self, fate: u32, what: impl FnOnce() -> String) -> Result<()> {
        match self
            .state
            .compare_exchange(ALIVE, fate, Ordering::AcqRel, Ordering::Acquire)
        {
            Ok(_) => Ok(()),
            Err(state) => {
                let what = what();
                Self::check_fate(state, &what)?;
                Err(Error::Viewed { what })
            }
        }
    }

    /// Ends an alive buffer because an execution is about to take it over.
    pub(crate) fn begin_donation(&self, what: impl FnOnce() -> String) -> Result<()> {
        self.end(DONATED, what)
    }

    /// Donates the buffer to a call that takes it over, unless the guard is dropped before
    /// [`DonationGuard::commit`].
    pub(crate) fn donate(&self, what: impl FnOnce() -> String) -> Result<DonationGuard<'_>> {
        self.begin_donation(what)?;
        Ok(DonationGuard(self))
    }

    /// An error for an alias that is not ready: the plugin would wait for its memory, without end
    /// if this thread has the promise. Or the error that the alias has become.
    pub(crate) fn check_fulfilled(&self, what: &str) -> Result<()> {
        if !self.is_alias {
            return Ok(());
        }
        let event = self.ready_event()?;
        match event.is_ready()? {
            true => event.wait(),
            false => Err(Error::argument(format!(
                "{what}: the alias is not ready, wait for it first"
            ))),
        }
    }

    /// Takes back [`Buffer::begin_donation`] after a call that failed.
    pub(crate) fn cancel_donation(&self) {
        if !self.plugin_says_deleted().unwrap_or(true) {
            self.state.store(ALIVE, Ordering::Release);
        }
    }

    /// Counts a view of the memory, which forbids donation and deletion.
    pub(crate) fn begin_view(&self, what: &str) -> Result<()> {
        let add = |state| (state & FATE == ALIVE).then_some(state + VIEW);
        match self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, add) {
            Ok(_) => Ok(()),
            Err(state) => Self::check_fate(state, what),
        }
    }

    /// Ends a view.
    pub(crate) fn end_view(&self) {
        self.state.fetch_sub(VIEW, Ordering::AcqRel);
    }

    fn plugin_says_deleted(&self) -> Result<bool> {
        let mut args: sys::PJRT_Buffer_IsDeleted_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive.
        unsafe { self.api().call(&mut args) }?;
        Ok(args.is_deleted)
    }
}

/// A donation that is taken back unless it is committed.
pub(crate) struct DonationGuard<'a>(&'a Buffer);

impl DonationGuard<'_> {
    /// Leaves the buffer donated.
    pub(crate) fn commit(self) {
        std::mem::forget(self);
    }
}

impl Drop for DonationGuard<'_> {
    fn drop(&mut self) {
        self.0.cancel_donation();
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
