//! Buffers without host data: uninitialized, errors and aliases.

use crate::{
    Buffer, DType, Error, ErrorCode, Result,
    buffer::destination::{Destination, destination_setters},
    client::{Client, core::ClientInner},
    error::error_number,
    layout::{Layout, RawLayout},
    plugin::fork,
    spec::check_array,
    sys,
};
use std::sync::Arc;

/// Builds an uninitialized buffer, an error buffer or an alias; from [`Client::device_buffer`]. By
/// default the plugin chooses its layout.
#[must_use = "no buffer is created before `uninitialized`, `error` or `alias`"]
#[derive(Clone, Debug)]
pub struct DeviceBuffer<'a> {
    client: &'a Client,
    dtype: DType,
    dims: &'a [i64],
    destination: Destination<'a>,
}

impl Client {
    /// A builder for a buffer of this type and these dimensions without host data.
    pub fn device_buffer<'a>(&'a self, dtype: DType, dims: &'a [i64]) -> DeviceBuffer<'a> {
        DeviceBuffer { client: self, dtype, dims, destination: Destination::default() }
    }
}

destination_setters!(DeviceBuffer.destination);

impl<'a> DeviceBuffer<'a> {
    /// An uninitialized buffer, to be donated to a program that fills it.
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function (API 0.69).
    ///
    /// # Safety
    /// Nothing reads the contents, neither the host nor a program, before a program has written
    /// them.
    pub unsafe fn uninitialized(&self) -> Result<Buffer> {
        let client = &self.client.inner;
        let mut layout = self.raw_layout()?;
        let mut args: sys::PJRT_Client_CreateUninitializedBuffer_Args = client.api.zeroed();
        args.client = client.raw.as_ptr();
        args.shape_dims = self.dims.as_ptr();
        args.shape_num_dims = self.dims.len();
        args.shape_element_type = self.dtype.to_raw();
        args.shape_layout = &raw mut layout.raw;
        (args.device, args.memory) = self.destination.place(client)?;
        // SAFETY: all inputs outlive the call.
        unsafe { client.api.call(&mut args) }?;
        self.finish(args.buffer, "PJRT_Client_CreateUninitializedBuffer")
    }

    /// An error buffer: everything that uses it fails with this error.
    ///
    /// # Errors
    /// The code is 0, the plugin's error, or the plugin lacks the function (API 0.82).
    pub fn error(&self, code: ErrorCode, message: &str) -> Result<Buffer> {
        let client = &self.client.inner;
        let mut layout = self.raw_layout()?;
        let mut args: sys::PJRT_Client_CreateErrorBuffer_Args = client.api.zeroed();
        args.client = client.raw.as_ptr();
        args.error_code = error_number(code)?;
        args.error_message = message.as_ptr().cast();
        args.error_message_size = message.len();
        args.shape_dims = self.dims.as_ptr();
        args.shape_num_dims = self.dims.len();
        args.shape_element_type = self.dtype.to_raw();
        args.shape_layout = &raw mut layout.raw;
        args.memory = self.destination.memory(client)?;
        // SAFETY: all inputs outlive the call.
        unsafe { client.api.call(&mut args) }?;
        self.finish(args.buffer, "PJRT_Client_CreateErrorBuffer")
    }

    /// An alias of another buffer, which can be passed to executions before that buffer exists. Its
    /// memory has no address before it is ready, and asking for the address of a result of such an
    /// execution waits for the promise.
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function (API 0.77).
    pub fn alias(&self) -> Result<(Buffer, AliasPromise)> {
        let client = &self.client.inner;
        let mut layout = self.raw_layout()?;
        let mut args: sys::PJRT_Client_CreateAliasBuffer_Args = client.api.zeroed();
        args.client = client.raw.as_ptr();
        args.memory = self.destination.memory(client)?;
        args.shape_dims = self.dims.as_ptr();
        args.shape_num_dims = self.dims.len();
        args.shape_element_type = self.dtype.to_raw();
        args.shape_layout = &raw mut layout.raw;
        // SAFETY: all inputs outlive the call.
        unsafe { client.api.call(&mut args) }?;
        const FUNCTION: &str = "PJRT_Client_CreateAliasBuffer";
        let buffer = self.finish(args.alias_buffer, FUNCTION);
        // Made even without a buffer, since dropping it releases what the plugin holds.
        let callback = client.api.handle(args.fulfill_alias_buffer_cb, FUNCTION);
        let promise = callback.map(|callback| AliasPromise {
            client: Arc::clone(client),
            callback: callback.as_ptr(),
            spec: client.spec(self.dtype, self.dims),
        });
        let (mut buffer, promise) = (buffer?, promise?);
        buffer.is_alias = true;
        Ok((buffer, promise))
    }

    /// The layout asked for, or the plugin's default one: if none is passed, the plugin makes
    /// buffers without a layout, which cannot fulfill an alias, and abort when their layout is
    /// queried.
    fn raw_layout(&self) -> Result<RawLayout> {
        check_array(self.client.inner.api, self.dtype, self.dims)?;
        if let Some(layout) = self.destination.layout(self.dims)? {
            return Ok(layout);
        }
        let default = self.client.default_layout(self.dtype, self.dims).ok();
        let default = default.and_then(|layout| layout.layout());
        RawLayout::of_array(
            &default.unwrap_or_else(|| Layout::row_major(self.dims.len())),
            self.dims,
        )
    }

    fn finish(&self, raw: *mut sys::PJRT_Buffer, function: &'static str) -> Result<Buffer> {
        let client = &self.client.inner;
        // SAFETY: a new buffer of this type that belongs to us.
        unsafe { Buffer::from_call(client, raw, client.spec(self.dtype, self.dims), function) }
    }
}

/// The promise to fill the buffer of an alias; see [`DeviceBuffer::alias`].
///
/// Dropping it makes the alias an error.
pub struct AliasPromise {
    client: Arc<ClientInner>,
    callback: *mut sys::PJRT_FulfillAliasBufferCallback,
    spec: Arc<crate::Spec>,
}

// SAFETY: the plugin allows fulfilling the promise on any thread.
unsafe impl Send for AliasPromise {}
// SAFETY: nothing can be done with a shared reference.
unsafe impl Sync for AliasPromise {}

impl AliasPromise {
    /// Fulfills the alias with the memory of this buffer, which is donated.
    ///
    /// # Errors
    /// The buffer has another type or other dimensions, was deleted or donated, is lent to a view,
    /// belongs to another client, or is itself an alias that is not ready; or the plugin's error.
    /// The alias is then an error, and the buffer is unchanged unless the plugin took it over.
    pub fn fulfill(mut self, buffer: &Buffer) -> Result<()> {
        const WHAT: &str = "the buffer of an alias";
        buffer.check_client(&self.client, WHAT)?;
        buffer.check_alive(WHAT)?;
        if buffer.dtype() != self.spec.dtype() {
            let what = WHAT.to_owned();
            let (expected, found) = (self.spec.dtype(), buffer.dtype());
            return Err(Error::DType { what, expected, found });
        }
        if buffer.dims() != self.spec.dims() {
            return Err(Error::Dimensions {
                what: WHAT.to_owned(),
                expected: self.spec.dims().to_vec(),
                found: buffer.dims().to_vec(),
            });
        }
        // Aliases of each other would wait for each other forever.
        buffer.check_fulfilled(WHAT)?;
        let donation = buffer.donate(|| WHAT.to_owned())?;
        self.end(buffer.as_ptr(), 0, "")?;
        donation.commit();
        Ok(())
    }

    /// Makes the alias an error.
    ///
    /// # Errors
    /// The code is 0, or the plugin's error.
    pub fn fail(mut self, code: ErrorCode, message: &str) -> Result<()> {
        match self.end(std::ptr::null_mut(), error_number(code)?, message) {
            // Some plugins return the error that was passed to them.
            Err(error) if error.code() == code => Ok(()),
            outcome => outcome,
        }
    }

    fn end(
        &mut self,
        buffer: *mut sys::PJRT_Buffer,
        code: sys::PJRT_Error_Code,
        message: &str,
    ) -> Result<()> {
        let callback = std::mem::replace(&mut self.callback, std::ptr::null_mut());
        let mut args: sys::PJRT_Client_FulfillAliasBuffer_Args = self.client.api.zeroed();
        args.client = self.client.raw.as_ptr();
        args.buffer = buffer;
        args.status_code = code;
        args.error_message = message.as_ptr().cast();
        args.error_message_size = message.len();
        args.fulfill_alias_buffer_cb = callback;
        // SAFETY: all inputs outlive the call; the callback is used once.
        unsafe { self.client.api.call(&mut args) }
    }
}

impl Drop for AliasPromise {
    fn drop(&mut self) {
        if self.callback.is_null() || fork::is_child() {
            return;
        }
        let code = ErrorCode::Cancelled;
        let raw = i32::from(code) as sys::PJRT_Error_Code;
        match self.end(std::ptr::null_mut(), raw, "the alias was never fulfilled") {
            Err(error) if error.code() != code => tracing::warn!(%error, "could not end an alias"),
            _ => {}
        }
    }
}

impl std::fmt::Debug for AliasPromise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AliasPromise").field("spec", &self.spec).finish_non_exhaustive()
    }
}
