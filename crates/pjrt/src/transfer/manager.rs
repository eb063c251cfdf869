//! Asynchronous transfers to buffers that can be used at once.

use crate::{
    Buffer, Device, Error, ErrorCode, Event, HostLease, Memory, Result, Spec,
    buffer::destination::Destination,
    client::{Client, core::ClientInner},
    error::error_number,
    execute::nested,
    layout::{Layout, RawLayout},
    named_value::{self, NamedValues},
    spec::check_array,
    sys,
    transfer::{covered::Covered, owner::Owner},
};
use std::{
    ptr::NonNull,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Buffers of one memory that are filled piece by piece, from any thread (API 0.60 and later).
///
/// Each buffer can be taken, and passed to executions, before its data arrives: they wait for it on
/// the device. The piece marked as the last completes a buffer; with the earlier ones it covers all
/// of it, since memory that was never written must not be read.
///
/// ```no_run
/// # use hloom_pjrt::*;
/// # fn f(client: Client, file: std::sync::Arc<[u8]>) -> Result<()> {
/// let manager = client.transfer_manager(&[Spec::new(DType::U8, [1 << 20])], None)?;
/// let buffer = manager.take_buffer(0)?;
/// let lease = manager.transfer(0, 0, file, true)?;
/// # Ok(()) }
/// ```
pub struct TransferManager {
    client: Arc<ClientInner>,
    raw: NonNull<sys::PJRT_AsyncHostToDeviceTransferManager>,
    specs: Vec<Arc<Spec>>,
    progress: Mutex<Vec<Progress>>,
}

/// The progress of a buffer. Calls beyond what the plugin allows would abort the process.
#[derive(Clone, Default)]
struct Progress {
    is_taken: bool,
    is_over: bool,
    covered: Covered,
}

// SAFETY: the C API allows transfers from any thread.
unsafe impl Send for TransferManager {}
// SAFETY: as above.
unsafe impl Sync for TransferManager {}

impl Client {
    /// A manager of transfers to new buffers in `memory` (default: that of the first addressable
    /// device).
    ///
    /// # Errors
    /// There is no spec, a spec is not of an array, the memory belongs to another client, the
    /// plugin's error, or the plugin lacks the function.
    pub fn transfer_manager(
        &self,
        specs: &[Spec],
        memory: Option<&Memory>,
    ) -> Result<TransferManager> {
        self.transfer_manager_with_layouts(specs, &[], memory)
    }

    /// The same with a layout on the device for each buffer.
    ///
    /// # Errors
    /// As for [`Client::transfer_manager`], or there is not one layout for each spec.
    pub fn transfer_manager_with_layouts(
        &self,
        specs: &[Spec],
        layouts: &[Layout],
        memory: Option<&Memory>,
    ) -> Result<TransferManager> {
        let api = self.inner.api;
        if specs.is_empty() {
            return Err(Error::argument("a transfer manager without buffers"));
        }
        if !layouts.is_empty() && layouts.len() != specs.len() {
            return Err(Error::size("layouts of a transfer manager", specs.len(), layouts.len()));
        }
        let mut raw_specs = Vec::with_capacity(specs.len());
        for spec in specs {
            check_array(api, spec.dtype(), spec.dims())?;
            let mut raw: sys::PJRT_ShapeSpec = api.zeroed();
            raw.dims = spec.dims().as_ptr();
            raw.num_dims = spec.dims().len();
            raw.element_type = spec.dtype().to_raw();
            raw_specs.push(raw);
        }
        let checked = layouts
            .iter()
            .zip(specs)
            .map(|(layout, spec)| RawLayout::of_array(layout, spec.dims()));
        let mut raw_layouts = checked.collect::<Result<Vec<_>>>()?;
        let mut layout_list: Vec<_> = raw_layouts.iter_mut().map(|l| &raw mut l.raw).collect();
        let mut args: sys::PJRT_Client_CreateBuffersForAsyncHostToDevice_Args = api.zeroed();
        args.client = self.as_ptr();
        args.shape_specs = raw_specs.as_mut_ptr();
        args.num_shape_specs = raw_specs.len();
        if !layout_list.is_empty() {
            args.device_layouts = layout_list.as_mut_ptr();
            args.num_device_layouts = layout_list.len();
        }
        let destination = Destination { memory, ..Destination::default() };
        args.memory = destination.memory(&self.inner)?;
        // SAFETY: all inputs outlive the call; the new manager belongs to us.
        unsafe { api.call(&mut args) }?;
        let function = "PJRT_Client_CreateBuffersForAsyncHostToDevice";
        Ok(TransferManager {
            raw: api.handle(args.transfer_manager, function)?,
            specs: specs.iter().map(|s| self.inner.spec(s.dtype(), s.dims())).collect(),
            progress: Mutex::new(vec![Progress::default(); specs.len()]),
            client: Arc::clone(&self.inner),
        })
    }
}

impl TransferManager {
    /// The number of buffers.
    pub fn len(&self) -> usize {
        self.specs.len()
    }

    /// Whether there are no buffers; always false.
    pub fn is_empty(&self) -> bool {
        self.specs.is_empty()
    }

    /// Takes a buffer, whose data may not have arrived.
    ///
    /// # Errors
    /// There is no such buffer, it was taken, or the plugin's error.
    pub fn take_buffer(&self, index: usize) -> Result<Buffer> {
        let mut progress = self.progress(index)?;
        if progress[index].is_taken {
            return Err(Error::argument(format!("buffer {index} was taken before")));
        }
        let mut args: sys::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args =
            self.client.api.zeroed();
        args.transfer_manager = self.raw.as_ptr();
        args.buffer_index = index as i32;
        // SAFETY: the manager is alive; the new buffer belongs to us.
        unsafe { self.client.api.call(&mut args) }?;
        progress[index].is_taken = true;
        let function = "PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer";
        let spec = Arc::clone(&self.specs[index]);
        // SAFETY: as above, of the type that it was made with.
        unsafe { Buffer::from_call(&self.client, args.buffer_out, spec, function) }
    }

    /// Starts to transfer bytes to a buffer, from `offset` on; their owner is kept until that is
    /// done. Bytes are in the device's layout: row-major unless another was set.
    ///
    /// # Errors
    /// There is no such buffer, or no such range in it; its last piece was transferred; this is
    /// the last one, and some bytes are in none of them; or the plugin's error.
    pub fn transfer<O: AsRef<[u8]> + Send + 'static>(
        &self,
        index: usize,
        offset: usize,
        owner: O,
        is_last: bool,
    ) -> Result<HostLease<O>> {
        let owner = Owner::new(owner);
        let bytes = owner.get().as_ref();
        let (start, len) = (bytes.as_ptr(), bytes.len());
        // SAFETY: the lease keeps the bytes until the event.
        let done = unsafe { self.start(index, offset, start, len, is_last) }?;
        lease(owner, done)
    }

    /// Transfers bytes to a buffer, from `offset` on. Blocks.
    ///
    /// # Errors
    /// As for [`TransferManager::transfer`], or [`Error::NestedLaunch`].
    pub fn copy(&self, index: usize, offset: usize, bytes: &[u8], is_last: bool) -> Result<()> {
        nested::check_threads(&self.client, || format!("copying to buffer {index} of a transfer"))?;
        // SAFETY: the bytes are borrowed until the event.
        unsafe { self.start(index, offset, bytes.as_ptr(), bytes.len(), is_last) }??.wait_for_end()
    }

    /// Transfers a whole buffer from row-major order, whatever the layout on the device (API 0.83
    /// and later).
    ///
    /// # Errors
    /// As for [`TransferManager::transfer`], or the plugin lacks the function.
    pub fn transfer_whole<O: AsRef<[u8]> + Send + 'static>(
        &self,
        index: usize,
        owner: O,
    ) -> Result<HostLease<O>> {
        let owner = Owner::new(owner);
        let bytes = owner.get().as_ref();
        let mut progress = self.unfinished(index)?;
        let spec = &self.specs[index];
        let expected = spec.host_bytes()?;
        if bytes.len() != expected {
            return Err(Error::size(format!("bytes of {spec}"), expected, bytes.len()));
        }
        let mut layout = RawLayout::new(&Layout::row_major(spec.dims().len()));
        let mut args: sys::PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args =
            self.client.api.zeroed();
        args.transfer_manager = self.raw.as_ptr();
        args.buffer_index = index as i32;
        args.data = bytes.as_ptr().cast();
        args.shape_dims = spec.dims().as_ptr();
        args.shape_num_dims = spec.dims().len();
        args.shape_element_type = spec.dtype().to_raw();
        args.shape_layout = &raw mut layout.raw;
        // SAFETY: the manager is alive; the lease keeps the bytes until the event.
        let done = unsafe {
            self.client.api.call(&mut args)?;
            progress[index].is_over = true;
            let function = "PJRT_AsyncHostToDeviceTransferManager_TransferLiteral";
            Event::from_call(&self.client, args.done_with_h2d_transfer, function)
        };
        drop(progress);
        lease(owner, done)
    }

    /// Makes a buffer an error: everything that uses it fails with this error.
    ///
    /// # Errors
    /// There is no such buffer, its last piece was transferred, the code is 0, or the plugin's
    /// error.
    pub fn set_error(&self, index: usize, code: ErrorCode, message: &str) -> Result<()> {
        let mut progress = self.unfinished(index)?;
        let mut args: sys::PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args =
            self.client.api.zeroed();
        args.transfer_manager = self.raw.as_ptr();
        args.buffer_index = index as i32;
        args.error_code = error_number(code)?;
        args.error_message = message.as_ptr().cast();
        args.error_message_size = message.len();
        // SAFETY: the manager is alive, the message outlives the call.
        unsafe { self.client.api.call(&mut args) }?;
        progress[index].is_over = true;
        Ok(())
    }

    /// Attaches metadata to the transfers, for the plugin's profiler.
    ///
    /// # Errors
    /// A value is not a string, or the plugin's error.
    pub fn add_metadata(&self, metadata: &NamedValues) -> Result<()> {
        if let Some((name, value)) = metadata.iter().find(|(_, value)| value.as_str().is_none()) {
            return Err(Error::OptionType {
                plugin: self.client.api.name().to_owned(),
                option: name.clone(),
                expected: "a string",
                found: value.type_name(),
            });
        }
        let metadata = named_value::to_raw(metadata);
        let mut args: sys::PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args =
            self.client.api.zeroed();
        args.transfer_manager = self.raw.as_ptr();
        args.transfer_metadata = metadata.as_ptr();
        args.num_metadata = metadata.len();
        // SAFETY: the manager is alive, the metadata outlives the call.
        unsafe { self.client.api.call(&mut args) }
    }

    /// Bytes of a buffer on the device.
    ///
    /// # Errors
    /// There is no such buffer, or the plugin's error.
    pub fn buffer_size(&self, index: usize) -> Result<usize> {
        drop(self.progress(index)?);
        let mut args: sys::PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args =
            self.client.api.zeroed();
        args.transfer_manager = self.raw.as_ptr();
        args.buffer_index = index as i32;
        // SAFETY: the manager is alive.
        unsafe { self.client.api.call(&mut args) }?;
        Ok(args.buffer_size)
    }

    /// The device of the buffers.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn device(&self) -> Result<Device> {
        let mut args: sys::PJRT_AsyncHostToDeviceTransferManager_Device_Args =
            self.client.api.zeroed();
        args.transfer_manager = self.raw.as_ptr();
        // SAFETY: the manager is alive.
        unsafe { self.client.api.call(&mut args) }?;
        let device = Device::find(&self.client, args.device_out);
        device.ok_or_else(|| Error::argument("the manager's device is unknown to its client"))
    }

    /// Starts a transfer. An inner error means that the plugin started, but returned a null event.
    ///
    /// # Safety
    /// The bytes stay as they are until the event happens.
    unsafe fn start(
        &self,
        index: usize,
        offset: usize,
        start: *const u8,
        len: usize,
        is_last: bool,
    ) -> Result<Result<Event>> {
        let size = self.buffer_size(index)?;
        // Held during the call: nobody else may send a piece after the last one.
        let mut progress = self.unfinished(index)?;
        if offset.checked_add(len).is_none_or(|end| end > size) {
            return Err(Error::argument(format!(
                "{len} bytes at offset {offset} do not fit into buffer {index} of {size} bytes"
            )));
        }
        if is_last {
            let mut covered = progress[index].covered.clone();
            covered.add(offset..offset + len);
            if let Some(gap) = covered.gap(size) {
                return Err(Error::argument(format!(
                    "the last piece of buffer {index} leaves its bytes {gap:?} of {size} unwritten"
                )));
            }
        }
        let mut args: sys::PJRT_AsyncHostToDeviceTransferManager_TransferData_Args =
            self.client.api.zeroed();
        args.transfer_manager = self.raw.as_ptr();
        args.buffer_index = index as i32;
        args.data = start.cast();
        args.offset = offset as i64;
        args.transfer_size = len as i64;
        args.is_last_transfer = is_last;
        // SAFETY: the manager is alive, the range is checked, the caller keeps the bytes.
        unsafe { self.client.api.call(&mut args) }?;
        progress[index].is_over = is_last;
        let function = "PJRT_AsyncHostToDeviceTransferManager_TransferData";
        // SAFETY: a new event that belongs to us.
        let done = unsafe { Event::from_call(&self.client, args.done_with_h2d_transfer, function) };
        // Without an event it is unknown whether the plugin writes the bytes.
        if done.is_ok() {
            progress[index].covered.add(offset..offset + len);
        }
        Ok(done)
    }

    fn progress(&self, index: usize) -> Result<MutexGuard<'_, Vec<Progress>>> {
        if index >= self.specs.len() {
            let count = self.specs.len();
            return Err(Error::argument(format!("there is no buffer {index}, only {count}")));
        }
        Ok(self.progress.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn unfinished(&self, index: usize) -> Result<MutexGuard<'_, Vec<Progress>>> {
        let progress = self.progress(index)?;
        if progress[index].is_over {
            Err(Error::argument(format!("the transfer to buffer {index} is over")))
        } else {
            Ok(progress)
        }
    }
}

/// The lease of a transfer that was started.
fn lease<O: Send + 'static>(owner: Owner<O>, done: Result<Event>) -> Result<HostLease<O>> {
    match done {
        Ok(done) => HostLease::new(owner, done),
        Err(error) => {
            owner.leak();
            Err(error)
        }
    }
}

impl Drop for TransferManager {
    fn drop(&mut self) {
        let mut args: sys::PJRT_AsyncHostToDeviceTransferManager_Destroy_Args =
            self.client.api.zeroed();
        args.transfer_manager = self.raw.as_ptr();
        // SAFETY: this handle owns the manager, which is not used again.
        unsafe { self.client.api.release(&mut args) };
    }
}

impl std::fmt::Debug for TransferManager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TransferManager").field("specs", &self.specs).finish_non_exhaustive()
    }
}
