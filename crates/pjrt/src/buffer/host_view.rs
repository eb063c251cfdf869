//! Access to the memory of a buffer without a copy.

use crate::{Buffer, DType, Element, Error, Result, plugin::fork, sys};
use std::{ffi::c_void, sync::PoisonError};

/// A guard for the address of a buffer's memory: while it lives, the buffer is neither donated,
/// deleted nor freed.
#[derive(Debug)]
pub struct ExternalReference<'a> {
    buffer: &'a Buffer,
    start: *mut c_void,
}

// SAFETY: the caller is responsible for any use of the address.
unsafe impl Send for ExternalReference<'_> {}
// SAFETY: as above.
unsafe impl Sync for ExternalReference<'_> {}

impl ExternalReference<'_> {
    /// The address on the device. It does not imply that the contents exist.
    pub fn as_ptr(&self) -> *mut c_void {
        self.start
    }
}

/// The contents of a buffer in the host's memory, without a copy; from [`Buffer::host_view`].
#[derive(Debug)]
pub struct HostView<'a> {
    reference: ExternalReference<'a>,
    len: usize,
}

impl Buffer {
    /// Takes an external reference to the memory, for DLPack or kernels of your own. Waits until
    /// the memory is allocated: for a result, until the plugin starts the program.
    ///
    /// # Errors
    /// The buffer was deleted or donated, is an alias that is not ready, or the plugin's error.
    pub fn external_reference(&self) -> Result<ExternalReference<'_>> {
        self.check_alive("external_reference")?;
        // Before the count is locked: the plugin would wait with the lock of all buffers held.
        self.check_fulfilled("external_reference")?;
        let mut increase: sys::PJRT_Buffer_IncreaseExternalReferenceCount_Args =
            self.api().zeroed();
        increase.buffer = self.as_ptr();
        let mut address: sys::PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args = self.api().zeroed();
        address.buffer = self.as_ptr();
        self.api().check_process("PJRT_Buffer_IncreaseExternalReferenceCount")?;
        self.begin_view("external_reference")?;
        // First, and outside of the lock: the plugin waits here until the memory is allocated,
        // which for a result may be long. SAFETY: the buffer is alive.
        let counted = unsafe { self.api().call(&mut address) }.and_then(|()| {
            let _one_at_a_time =
                self.client.references.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the buffer is alive, and counting is locked.
            unsafe { self.api().call(&mut increase) }
        });
        if let Err(error) = counted {
            self.end_view();
            return Err(error);
        }
        // From here on, dropping the reference decreases both counts again.
        Ok(ExternalReference { buffer: self, start: address.device_memory_ptr })
    }

    /// Waits for the contents and returns a view of them, for a buffer in the memory of the host's
    /// CPU.
    ///
    /// # Errors
    /// The buffer is in other memory, is not in row-major order, or has elements of fewer than 8
    /// bits; it was deleted or donated; the program that produces it failed; or the plugin's error.
    pub fn host_view(&self) -> Result<HostView<'_>> {
        let wrong = |why: &str| Err(Error::argument(format!("a view of {}: {why}", self.spec)));
        // Before that, the plugin knows neither the memory nor the layout of an alias.
        if self.is_alias {
            self.wait()?;
        }
        if !self.is_on_cpu()? {
            return wrong("the buffer is not in the memory of the host's processor");
        }
        if self.dtype().bits().is_none_or(|bits| bits < 8) {
            return wrong("elements of this type are packed");
        }
        if !self.layout()?.is_some_and(|layout| layout.is_row_major()) {
            return wrong("the buffer is not in row-major order");
        }
        let len = self.host_size()?;
        let reference = self.external_reference()?;
        self.wait()?;
        if reference.start.is_null() && len > 0 {
            return wrong("the plugin returned no address");
        }
        Ok(HostView { reference, len })
    }
}

impl HostView<'_> {
    /// The bytes, in row-major order.
    pub fn as_bytes(&self) -> &[u8] {
        match self.len {
            0 => &[],
            // SAFETY: the memory is `len` bytes long, and nothing writes there while a view lives.
            len => unsafe {
                std::slice::from_raw_parts(self.reference.start.cast::<u8>().cast_const(), len)
            },
        }
    }

    /// The elements, in row-major order.
    ///
    /// # Errors
    /// `T` is not the buffer's element type, or is `bool`, for which devices keep any byte; or the
    /// memory is not aligned for `T`.
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        let buffer = self.reference.buffer;
        let wrong = |why: &str| Err(Error::argument(format!("a view of {}: {why}", buffer.spec)));
        if T::DTYPE != buffer.dtype() {
            let what = format!("a view of {}", buffer.spec);
            return Err(Error::DType { what, expected: buffer.dtype(), found: T::DTYPE });
        }
        if T::DTYPE == DType::Pred {
            return wrong("booleans can be any byte: read them with `as_bytes`");
        }
        let bytes = self.as_bytes();
        if bytes.is_empty() {
            return Ok(&[]);
        }
        if bytes.as_ptr().align_offset(align_of::<T>()) != 0 {
            return wrong("the memory is not aligned");
        }
        // SAFETY: aligned, as long as the bytes, and every bit pattern is a value.
        Ok(unsafe {
            std::slice::from_raw_parts(bytes.as_ptr().cast::<T>(), bytes.len() / size_of::<T>())
        })
    }
}

impl Drop for ExternalReference<'_> {
    fn drop(&mut self) {
        let mut args: sys::PJRT_Buffer_DecreaseExternalReferenceCount_Args =
            self.buffer.api().zeroed();
        args.buffer = self.buffer.as_ptr();
        // Another thread may have held the lock when this process was forked.
        if !fork::is_child() {
            let _one_at_a_time =
                self.buffer.client.references.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the buffer is alive, the count was increased for this guard, and counting is
            // locked.
            unsafe { self.buffer.api().release(&mut args) };
        }
        self.buffer.end_view();
    }
}
