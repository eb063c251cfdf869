//! Copies, bitcasts and donation from one buffer to another.

use crate::{
    Buffer, DType, Device, Error, ErrorCode, Memory, Result,
    layout::{Layout, RawLayout},
    spec::{check_array, element_count},
    sys,
};
use std::{ffi::c_void, sync::Arc};

impl Buffer {
    /// Copies the buffer to the default memory of a device, asynchronously.
    ///
    /// # Errors
    /// The buffer was deleted or donated, the device belongs to another client, or the plugin's
    /// error.
    pub fn copy_to_device(&self, device: &Device) -> Result<Buffer> {
        const FUNCTION: &str = "PJRT_Buffer_CopyToDevice";
        self.check_alive("copy_to_device")?;
        device.check_client(&self.client)?;
        let mut args: sys::PJRT_Buffer_CopyToDevice_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        args.dst_device = device.as_ptr();
        // SAFETY: buffer and device are alive; the new buffer belongs to us.
        let copy = unsafe {
            self.api().call(&mut args)?;
            Self::from_call(&self.client, args.dst_buffer, Arc::clone(&self.spec), FUNCTION)
        }?;
        self.track_copy(&copy)?;
        Ok(copy)
    }

    /// Copies the buffer to a memory, asynchronously.
    ///
    /// # Errors
    /// As for [`Buffer::copy_to_device`].
    pub fn copy_to_memory(&self, memory: &Memory) -> Result<Buffer> {
        const FUNCTION: &str = "PJRT_Buffer_CopyToMemory";
        self.check_alive("copy_to_memory")?;
        memory.check_client(&self.client)?;
        let mut args: sys::PJRT_Buffer_CopyToMemory_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        args.dst_memory = memory.as_ptr();
        // SAFETY: buffer and memory are alive; the new buffer belongs to us.
        let copy = unsafe {
            self.api().call(&mut args)?;
            Self::from_call(&self.client, args.dst_buffer, Arc::clone(&self.spec), FUNCTION)
        }?;
        self.track_copy(&copy)?;
        Ok(copy)
    }

    /// Reinterprets the bytes with another type and other dimensions (API 0.98 and later): the new
    /// buffer takes over the memory, and this one is donated.
    ///
    /// # Errors
    /// The sizes differ; the buffer was deleted or donated, or is lent to a view; the plugin's
    /// error, or the plugin lacks the function. The buffer is then unchanged.
    pub fn bitcast(&self, dtype: DType, dims: &[i64], layout: Option<&Layout>) -> Result<Buffer> {
        const FUNCTION: &str = "PJRT_Buffer_Bitcast";
        self.check_alive("bitcast")?;
        let bits = |dtype: DType, dims: &[i64]| -> Result<usize> {
            let bits = dtype.bits().and_then(|bits| element_count(dims).ok()?.checked_mul(bits));
            bits.ok_or_else(|| {
                Error::argument(format!("bitcast of {dtype} with dimensions {dims:?}"))
            })
        };
        let (expected, found) = (bits(self.dtype(), self.dims())?, bits(dtype, dims)?);
        if expected != found {
            return Err(Error::size(
                format!("bits of a bitcast of {}", self.spec),
                expected,
                found,
            ));
        }
        check_array(self.api(), dtype, dims)?;
        let mut layout = layout.map(|layout| RawLayout::of_array(layout, dims)).transpose()?;
        let mut args: sys::PJRT_Buffer_Bitcast_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        args.element_type = dtype.to_raw();
        args.dims = dims.as_ptr();
        args.num_dims = dims.len();
        args.device_layout = layout.as_mut().map_or(std::ptr::null_mut(), |l| &raw mut l.raw);
        let donation = self.donate(|| "bitcast".to_owned())?;
        // SAFETY: all inputs outlive the call.
        unsafe { self.api().call(&mut args) }?;
        donation.commit();
        let spec = self.client.spec(dtype, dims);
        // SAFETY: the new buffer belongs to us.
        let mut buffer = unsafe { Self::from_call(&self.client, args.out_buffer, spec, FUNCTION) }?;
        buffer.is_alias = self.is_alias;
        Ok(buffer)
    }

    /// Moves the buffer into a new one that becomes ready only once the dependency has ended too
    /// (API 0.88 and later).
    ///
    /// # Errors
    /// The buffer was deleted or donated, or is lent to a view; the plugin's error, or the plugin
    /// lacks the function.
    pub fn donate_with_dependency(self) -> Result<(Buffer, ControlDependency)> {
        const FUNCTION: &str = "PJRT_Buffer_DonateWithControlDependency";
        self.begin_donation(|| "donate_with_dependency".to_owned())?;
        let mut args: sys::PJRT_Buffer_DonateWithControlDependency_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive; the new buffer belongs to us.
        let buffer = unsafe {
            self.api().call(&mut args)?;
            Self::from_call(&self.client, args.out_buffer, Arc::clone(&self.spec), FUNCTION)
        };
        // Made even without a buffer, since dropping it releases what the plugin holds.
        let dependency = ControlDependency {
            client: Arc::clone(&self.client),
            data: args.callback_data,
            finish: args.dependency_ready_callback,
        };
        let mut buffer = buffer?;
        buffer.is_alias = self.is_alias;
        match dependency.finish {
            Some(_) => Ok((buffer, dependency)),
            None => Err(self.api().null_handle(FUNCTION)),
        }
    }

    fn track_copy(&self, copy: &Buffer) -> Result<()> {
        if self.usage.is_some() {
            self.track(&copy.ready_event().inspect_err(|_| self.lose_track())?);
        }
        Ok(())
    }
}

/// A dependency that a buffer waits for; see [`Buffer::donate_with_dependency`].
///
/// Dropping it ends the wait with an error.
pub struct ControlDependency {
    client: Arc<crate::client::core::ClientInner>,
    data: *mut c_void,
    finish: Finish,
}

type Finish =
    Option<unsafe extern "C" fn(*mut sys::PJRT_Buffer_DonateWithControlDependency_Callback_Args)>;

// SAFETY: the plugin allows ending the wait on any thread.
unsafe impl Send for ControlDependency {}
// SAFETY: nothing can be done with a shared reference.
unsafe impl Sync for ControlDependency {}

impl ControlDependency {
    /// Ends the wait, with success or with an error for everything that uses the buffer. An error
    /// with code 0, which is success, counts as [`ErrorCode::Unknown`].
    pub fn finish(mut self, outcome: Result<(), (ErrorCode, &str)>) {
        self.end(outcome);
    }

    fn end(&mut self, outcome: Result<(), (ErrorCode, &str)>) {
        let Some(finish) = self.finish.take() else { return };
        let (code, message) = match outcome {
            Ok(()) => (0, ""),
            Err((ErrorCode::Other(0), message)) => (i32::from(ErrorCode::Unknown), message),
            Err((code, message)) => (i32::from(code), message),
        };
        let mut args: sys::PJRT_Buffer_DonateWithControlDependency_Callback_Args =
            self.client.api.zeroed();
        args.callback_data = self.data;
        args.error_code = code as sys::PJRT_Error_Code;
        args.error_message = message.as_ptr().cast();
        args.error_message_size = message.len();
        // SAFETY: the plugin's own function with its own data, called once.
        unsafe { finish(&raw mut args) };
    }
}

impl Drop for ControlDependency {
    fn drop(&mut self) {
        self.end(Err((ErrorCode::Cancelled, "the control dependency was dropped")));
    }
}

impl std::fmt::Debug for ControlDependency {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ControlDependency").finish_non_exhaustive()
    }
}
