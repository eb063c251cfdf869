//! Buffers over existing memory.

use crate::{
    Buffer, Device, Memory, Result, Spec,
    buffer::destination::{Destination, destination_setters},
    client::{Client, core::ClientInner},
    layout::Layout,
    spec::check_array,
    sys,
};
use hloom_ffi::callback;
use std::{ffi::c_void, sync::Arc};

/// The place and layout of the memory under a buffer.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct MemoryPlace<'a> {
    /// The device (default: the first addressable one).
    pub device: Option<&'a Device>,
    /// The memory, in place of the device's default one (API 0.66 and later).
    pub memory: Option<&'a Memory>,
    /// The layout (default: row-major).
    pub layout: Option<&'a Layout>,
    /// The device's stream on which the memory is still being written, if there is one.
    pub stream: Option<isize>,
}

destination_setters!(MemoryPlace);

impl MemoryPlace<'_> {
    /// The first addressable device, row-major.
    pub fn new() -> Self {
        Self::default()
    }

    /// Written on this stream.
    pub fn stream(mut self, stream: isize) -> Self {
        self.stream = Some(stream);
        self
    }
}

impl Client {
    /// A buffer over existing memory of a device, without a copy. `owner` is dropped when the
    /// plugin is done with it.
    ///
    /// # Errors
    /// The memory is not aligned as the plugin needs (the CPU plugin: [`ALIGNMENT`]), device or
    /// memory belong to another client, or the plugin's error.
    ///
    /// # Safety
    /// `start` is memory of the device that is large enough and valid until `owner` is dropped. As
    /// long as the buffer, or a result that took its memory over, is used, nobody else writes to
    /// it; if the buffer is donated, nobody else reads it either.
    ///
    /// [`ALIGNMENT`]: crate::ALIGNMENT
    pub unsafe fn view_memory<O: Send + 'static>(
        &self,
        start: *mut c_void,
        spec: &Spec,
        place: MemoryPlace<'_>,
        owner: O,
    ) -> Result<Buffer> {
        // SAFETY: by the contract of this function.
        unsafe { view(&self.inner, start, spec, place, owner) }
    }
}

/// # Safety
/// As for [`Client::view_memory`].
pub(crate) unsafe fn view<O: Send + 'static>(
    client: &Arc<ClientInner>,
    start: *mut c_void,
    spec: &Spec,
    at: MemoryPlace<'_>,
    owner: O,
) -> Result<Buffer> {
    const FUNCTION: &str = "PJRT_Client_CreateViewOfDeviceBuffer";
    struct Owned<O> {
        // Freed, and uncounted, before the client, whose last handle this may be.
        _owner: O,
        client: Arc<ClientInner>,
    }
    impl<O> Drop for Owned<O> {
        fn drop(&mut self) {
            self.client.counters.host_memory.remove();
        }
    }
    unsafe extern "C" fn free<O>(_start: *mut c_void, user_arg: *mut c_void) {
        callback::run("on_delete", || {
            // SAFETY: the box made below, given to exactly one call.
            drop(unsafe { Box::from_raw(user_arg.cast::<Owned<O>>()) });
        });
    }
    check_array(client.api, spec.dtype(), spec.dims())?;
    let MemoryPlace { device, memory, layout, .. } = at;
    let destination = Destination { device, memory, layout };
    let mut layout = destination.layout(spec.dims())?;
    let mut args: sys::PJRT_Client_CreateViewOfDeviceBuffer_Args = client.api.zeroed();
    (args.device, args.memory) = destination.place(client)?;
    args.client = client.raw.as_ptr();
    args.device_buffer_ptr = start;
    args.dims = spec.dims().as_ptr();
    args.num_dims = spec.dims().len();
    args.element_type = spec.dtype().to_raw();
    args.layout = layout.as_mut().map_or(std::ptr::null_mut(), |l| &raw mut l.raw);
    // Without a callback the CPU plugin aborts the process.
    args.on_delete_callback = Some(free::<O>);
    client.counters.host_memory.add();
    let owned = Box::into_raw(Box::new(Owned { _owner: owner, client: Arc::clone(client) }));
    args.on_delete_callback_arg = owned.cast();
    args.stream = at.stream.unwrap_or(0) as _;
    // SAFETY: all inputs outlive the call; the caller answers for the memory.
    let outcome = unsafe { client.api.call(&mut args) };
    if let Err(error) = outcome {
        // SAFETY: a view that was not made never calls back, so the box is still ours.
        drop(unsafe { Box::from_raw(owned) });
        return Err(error);
    }
    let shared = client.spec(spec.dtype(), spec.dims());
    // SAFETY: a new buffer that belongs to us.
    unsafe { Buffer::from_call(client, args.buffer, shared, FUNCTION) }
}
