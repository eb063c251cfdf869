//! Copies from a buffer to the host.

use crate::{
    Buffer, DType, Element, Error, Event, Layout, PlatformKind, Result, execute::nested,
    layout::RawLayout, sys, transfer::host_transfer::HostTransfer,
};
use hloom_ffi::normalize;

impl Buffer {
    /// The contents, in row-major order whatever the layout on the device. Blocks.
    ///
    /// # Errors
    /// `T` is not the buffer's element type, the buffer was deleted or donated, the program that
    /// produces it failed, the host has no memory for it, or the plugin's error.
    ///
    /// # Examples
    /// ```no_run
    /// # fn f(buffer: hloom_pjrt::Buffer) -> hloom_pjrt::Result<()> {
    /// let values: Vec<f32> = buffer.to_vec()?;
    /// # Ok(()) }
    /// ```
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.check_dtype::<T>()?;
        self.read_all(self.element_count()?)
    }

    /// The contents as [`Buffer::to_vec`], and the dimensions. Blocks.
    ///
    /// # Errors
    /// As for [`Buffer::to_vec`].
    pub fn to_array<T: Element>(&self) -> Result<(Vec<T>, Vec<i64>)> {
        Ok((self.to_vec()?, self.dims().to_vec()))
    }

    /// The contents as bytes in row-major order; types of fewer than 8 bits take one byte each,
    /// sign-extended if they are signed, and booleans are 0 or 1. Blocks.
    ///
    /// # Errors
    /// As for [`Buffer::to_vec`], or elements of this type have no host form.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = self.read_all::<u8>(self.host_size()?)?;
        normalize(self.dtype(), &mut bytes);
        Ok(bytes)
    }

    /// The single element of a buffer of rank 0 (or of one element). Blocks.
    ///
    /// # Errors
    /// As for [`Buffer::to_vec`], or there is not exactly one element.
    pub fn to_scalar<T: Element>(&self) -> Result<T> {
        let count = self.element_count()?;
        match (count, self.to_vec::<T>()?.first()) {
            (1, Some(&value)) => Ok(value),
            _ => Err(Error::size(format!("elements of {} read as a scalar", self.spec), 1, count)),
        }
    }

    /// Copies the contents to `values`, in row-major order. Blocks.
    ///
    /// # Errors
    /// As for [`Buffer::to_vec`], or `values` has another length.
    pub fn read_into<T: Element>(&self, values: &mut [T]) -> Result<()> {
        self.check_dtype::<T>()?;
        let len = self.element_count()?;
        if values.len() != len {
            let what = format!("elements of the slice that {} is read into", self.spec);
            return Err(Error::size(what, len, values.len()));
        }
        // Through a copy, for types with bit patterns that are not values.
        if T::DTYPE == DType::Pred {
            values.copy_from_slice(&self.to_vec()?);
            return Ok(());
        }
        let bytes = size_of_val(values);
        // SAFETY: the slice is borrowed until the copy is done; every bit pattern is a value.
        unsafe {
            let start = values.as_mut_ptr().cast::<u8>();
            if !self.read_in_handler(start, bytes)? {
                self.read(start, bytes)??.wait_for_end()?;
            }
            T::normalize(std::slice::from_raw_parts_mut(start, bytes));
        }
        Ok(())
    }

    /// Copies the contents to `bytes`, in the form of [`Buffer::to_bytes`]. Blocks.
    ///
    /// # Errors
    /// As for [`Buffer::to_bytes`], or `bytes` has another length.
    pub fn read_into_bytes(&self, bytes: &mut [u8]) -> Result<()> {
        let len = self.host_size()?;
        if bytes.len() != len {
            let what = format!("bytes of the slice that {} is read into", self.spec);
            return Err(Error::size(what, len, bytes.len()));
        }
        // SAFETY: the slice is borrowed until the copy is done.
        unsafe {
            if !self.read_in_handler(bytes.as_mut_ptr(), len)? {
                self.read(bytes.as_mut_ptr(), len)??.wait_for_end()?;
            }
        }
        normalize(self.dtype(), bytes);
        Ok(())
    }

    /// Starts to copy the contents to the host; wait for it with
    /// [`HostTransfer::wait`] or `.await`. Dropping the transfer is fine at any time.
    ///
    /// # Errors
    /// As for [`Buffer::to_vec`], except that the transfer returns errors of the program.
    pub fn to_vec_async<T: Element>(&self) -> Result<HostTransfer<T>> {
        self.check_dtype::<T>()?;
        let len = self.element_count()?;
        let mut values = self.room::<T>(len)?;
        // SAFETY: the transfer keeps the vector until the copy is done.
        let started = unsafe { self.read(values.as_mut_ptr().cast(), len * size_of::<T>()) };
        HostTransfer::started(started?, values, len)
    }

    /// Copies bytes in the device's layout, from `offset` on, to `bytes`. Blocks.
    ///
    /// # Errors
    /// The range does not lie within [`Buffer::on_device_size`], the buffer is an alias that is not
    /// ready, the plugin lacks the function (API 0.57), or as for [`Buffer::to_vec`].
    pub fn read_raw(&self, offset: usize, bytes: &mut [u8]) -> Result<()> {
        // SAFETY: the slice is borrowed until the copy is done.
        unsafe { self.start_raw(offset, bytes.as_mut_ptr(), bytes.len()) }??.wait_for_end()
    }

    /// Waits for the contents, and starts to copy `len` bytes in the device's layout, from `offset`
    /// on.
    ///
    /// # Errors
    /// As for [`Buffer::read_raw`].
    pub fn read_raw_async(&self, offset: usize, len: usize) -> Result<HostTransfer<u8>> {
        self.check_range(offset, len)?;
        let mut bytes = self.room(len)?;
        // SAFETY: the transfer keeps the vector until the copy is done.
        let started = unsafe { self.start_raw(offset, bytes.as_mut_ptr(), len) };
        HostTransfer::started(started?, bytes, len)
    }

    fn check_dtype<T: Element>(&self) -> Result<()> {
        if T::DTYPE == self.dtype() {
            return Ok(());
        }
        Err(Error::DType {
            what: format!("reading {} from the host", self.spec),
            expected: self.dtype(),
            found: T::DTYPE,
        })
    }

    /// Returns an error unless the buffer has these bytes on the device.
    fn check_range(&self, offset: usize, len: usize) -> Result<()> {
        let size = self.on_device_size()?;
        if offset.checked_add(len).is_some_and(|end| end <= size) {
            Ok(())
        } else {
            let what = format!("{len} bytes at offset {offset} of {size}");
            Err(Error::argument(format!("reading raw bytes: no such range: {what}")))
        }
    }

    /// An empty vector with capacity for `len` values. Without host memory, an error of the buffer
    /// itself is returned first: the device is often out of memory too.
    fn room<T>(&self, len: usize) -> Result<Vec<T>> {
        self.check_alive("reading from the host")?;
        let mut values = Vec::new();
        if values.try_reserve_exact(len).is_err() {
            self.wait()?;
            let what = format!("reading {} from the host", self.spec);
            return Err(Error::host_memory(what, len.saturating_mul(size_of::<T>())));
        }
        Ok(values)
    }

    /// Reads the whole contents, of `len` values. Blocks.
    fn read_all<T: Element>(&self, len: usize) -> Result<Vec<T>> {
        let mut values = self.room::<T>(len)?;
        let start = values.as_mut_ptr().cast::<u8>();
        // SAFETY: the vector has room for `len` elements, which are then set and normalized.
        unsafe {
            if self.read_in_handler(start, len * size_of::<T>())? {
                T::normalize(std::slice::from_raw_parts_mut(start, len * size_of::<T>()));
                values.set_len(len);
                return Ok(values);
            }
        }
        // SAFETY: the transfer keeps the vector until the copy is done.
        let started = unsafe { self.read(values.as_mut_ptr().cast(), len * size_of::<T>()) };
        HostTransfer::started(started?, values, len)?.wait_for_end()
    }

    /// Copies the contents on this thread if it runs a handler that holds a thread of the plugin,
    /// whose other ones may be held as well. Returns whether it did.
    ///
    /// # Errors
    /// [`Error::NestedLaunch`]: the contents are not ready, or only the plugin can copy them.
    ///
    /// # Safety
    /// `start` has room for `len` bytes.
    unsafe fn read_in_handler(&self, start: *mut u8, len: usize) -> Result<bool> {
        if !nested::holds_thread(&self.client) {
            return Ok(false);
        }
        self.wait()?;
        match self.host_view() {
            Ok(view) if view.as_bytes().len() == len => {
                // SAFETY: by the contract of this function; new memory does not overlap.
                unsafe { std::ptr::copy_nonoverlapping(view.as_bytes().as_ptr(), start, len) };
                Ok(true)
            }
            _ => {
                nested::check_threads(&self.client, || format!("copying {}", self.spec))?;
                Ok(false)
            }
        }
    }

    /// Starts to read. An inner error means that the plugin started, but returned a null event.
    ///
    /// # Safety
    /// `start` has room for `len` bytes until the event happens.
    unsafe fn read(&self, start: *mut u8, len: usize) -> Result<Result<Event>> {
        self.check_alive("reading from the host")?;
        self.check_order()?;
        // Without a layout the plugin would return the elements in the device's order.
        let mut layout = RawLayout::new(&Layout::row_major(self.dims().len()));
        let mut args: sys::PJRT_Buffer_ToHostBuffer_Args = self.api().zeroed();
        args.src = self.as_ptr();
        args.host_layout = &raw mut layout.raw;
        args.dst = start.cast();
        args.dst_size = len;
        // SAFETY: the buffer is alive, the layout outlives the call, the caller keeps the room.
        let event = unsafe {
            self.api().call(&mut args)?;
            Event::from_call(&self.client, args.event, "PJRT_Buffer_ToHostBuffer")
        };
        Ok(self.tracked(event))
    }

    /// CPU plugins built in 2025 return the elements in the device's order, whatever order they are
    /// asked for.
    fn check_order(&self) -> Result<()> {
        let (api, dims) = (self.api(), self.dims());
        // Such a plugin does not know the layout of an alias before it is ready.
        let is_cpu = self.client.platform_kind() == PlatformKind::Cpu;
        let may_differ = api.minor() < 82 && is_cpu && dims.len() > 1;
        if !may_differ || self.is_alias {
            return Ok(());
        }
        match self.layout()? {
            Some(layout) if !layout.has_order_of_rows(dims) => Err(Error::argument(format!(
                "plugin `{}` (API 0.{}) does not rearrange {} of layout {layout:?} for the host: \
                 use a newer plugin, or read its bytes with `read_raw`",
                api.name(),
                api.minor(),
                self.spec
            ))),
            _ => Ok(()),
        }
    }

    /// # Safety
    /// As for [`Buffer::read`].
    unsafe fn start_raw(&self, offset: usize, start: *mut u8, len: usize) -> Result<Result<Event>> {
        self.check_range(offset, len)?;
        nested::check_threads(&self.client, || format!("copying {}", self.spec))?;
        // Plugins do not wait until a buffer has memory, and read from an invalid address before
        // that.
        self.check_fulfilled("reading raw bytes")?;
        self.wait()?;
        let mut args: sys::PJRT_Buffer_CopyRawToHost_Args = self.api().zeroed();
        args.buffer = self.as_ptr();
        args.dst = start.cast();
        args.offset = offset as i64;
        args.transfer_size = len as i64;
        // SAFETY: the buffer is alive, the range is checked, the caller keeps the room.
        let event = unsafe {
            self.api().call(&mut args)?;
            Event::from_call(&self.client, args.event, "PJRT_Buffer_CopyRawToHost")
        };
        Ok(self.tracked(event))
    }

    fn tracked(&self, event: Result<Event>) -> Result<Event> {
        match &event {
            Ok(event) => self.track(event),
            Err(_) => self.lose_track(),
        }
        event
    }

    /// Counts a use of the shared memory that ends with `event`.
    pub(crate) fn track(&self, event: &Event) {
        if let Some(usage) = &self.usage {
            let begun = usage.begin();
            // If the callback cannot be registered, the use ends at once: wait here instead.
            if event.on_ready(move |_| drop(begun)).is_err() {
                let _ = event.wait_for_end();
            }
        }
    }

    /// Counts a use of the shared memory whose end is unknown.
    pub(crate) fn lose_track(&self) {
        if let Some(usage) = &self.usage {
            usage.lose();
        }
    }
}
