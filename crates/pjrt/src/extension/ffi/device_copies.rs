//! Host copies of the arguments and results of a call on a device.
//!
//! The FFI has no functions for copies, so the driver of the device makes them, on the stream of
//! the call. It is opened by name when it is first needed: a program that runs on such a device has
//! it loaded.

use super::{
    host_arrays::HostArrays,
    pinned::{Allocate, PinnedPool},
};
use crate::ErrorCode;
use hloom_ffi::{CallFrame, HandlerError};
use std::{
    cell::Cell,
    ffi::{CStr, c_char, c_void},
    ptr::{NonNull, null_mut},
    sync::OnceLock,
};

type Status = i32;
type Stream = *mut c_void;
type Context = *mut c_void;
type Address = u64;

const CUDA_ERROR_OUT_OF_MEMORY: Status = 2;

/// The functions of CUDA's driver that copy.
struct Driver {
    stream_context: unsafe extern "C" fn(Stream, *mut Context) -> Status,
    push_context: unsafe extern "C" fn(Context) -> Status,
    pop_context: unsafe extern "C" fn(*mut Context) -> Status,
    to_host: unsafe extern "C" fn(*mut c_void, Address, usize, Stream) -> Status,
    to_device: unsafe extern "C" fn(Address, *const c_void, usize, Stream) -> Status,
    synchronize: unsafe extern "C" fn(Stream) -> Status,
    /// The name of an error; `None` in a driver without the function.
    error_name: Option<unsafe extern "C" fn(Status, *mut *const c_char) -> Status>,
    /// Host memory that it copies from and to at full speed; `None` if it cannot pin any.
    pinned: Option<PinnedPool>,
}

/// The copies of a call, in memory of the host or on a device.
struct Copies(Option<OnStream>);

/// A stream whose context is the thread's current one, as its driver requires.
struct OnStream {
    driver: &'static Driver,
    stream: NonNull<c_void>,
    /// Whether copies were queued since the stream was last waited for.
    is_pending: Cell<bool>,
}

/// Copies of a call's arrays to the host and back.
pub trait HostCopies {
    /// The arguments at the call's turn on the stream, copied to the host, and memory for the
    /// results.
    ///
    /// This waits for the stream. Where the program runs on the host, the arguments are copied
    /// there.
    ///
    /// # Errors
    /// The platform is not CUDA, its driver cannot copy, an argument or result is not an array, or
    /// there is no memory left.
    fn copied_to_host(&self) -> Result<HostArrays, HandlerError>;

    /// Copies the results in arrays from [`copied_to_host`](Self::copied_to_host) to the program's
    /// memory.
    ///
    /// # Errors
    /// A result was given out as a view, or is of another size; or the driver cannot copy.
    fn copy_results(&self, arrays: &HostArrays) -> Result<(), HandlerError>;
}

impl HostCopies for CallFrame<'_> {
    fn copied_to_host(&self) -> Result<HostArrays, HandlerError> {
        // Dropped after `copies`, which waits for pending copies.
        let mut arrays = HostArrays::default();
        let copies = Copies::of(self)?;
        // Pinning needs the context that `copies` has made the current one.
        arrays.pin(copies.pinned());
        for index in 0..self.num_arguments() {
            let (dtype, dims, data) = self.argument_array(index)?.parts();
            let bytes = self.argument_array(index)?.byte_len();
            let memory = arrays.add_argument(dtype, dims, bytes)?;
            // SAFETY: the frame's array has as many bytes as the new memory, which lives until
            // `finish` has waited.
            unsafe { copies.to_host(memory, data)? };
        }
        // The call waits for earlier work even if it has no arguments.
        copies.wait()?;
        for result in 0..self.num_results() {
            let array = self.result_array(result)?;
            let (dtype, dims, _) = array.parts();
            arrays.result(dtype, dims, array.byte_len())?;
            let aliased = (0..self.num_arguments())
                .find(|&i| self.argument_array(i).is_ok_and(|a| a.overlaps(&array)));
            if let Some(argument) = aliased {
                arrays.alias(result, argument)?;
            }
        }
        Ok(arrays)
    }

    fn copy_results(&self, arrays: &HostArrays) -> Result<(), HandlerError> {
        let copies = Copies::of(self)?;
        for (index, bytes) in arrays.results().enumerate() {
            let mut result = self.result(index)?;
            if result.byte_len() != bytes.len() {
                let (expected, found) = (result.byte_len(), bytes.len());
                return Err(HandlerError::invalid(format!(
                    "result {index}: {found} bytes for {expected}"
                )));
            }
            // SAFETY: the frame's array has as many bytes and was given out once; these live until
            // `finish` has waited.
            unsafe { copies.to_device(result.as_mut_ptr(), bytes)? };
        }
        copies.finish()
    }
}

impl Copies {
    fn of(frame: &CallFrame<'_>) -> Result<Copies, HandlerError> {
        let Some(stream) = frame.stream() else {
            return Ok(Copies(None));
        };
        // SAFETY: the stream is the call's.
        unsafe { Copies::on(Driver::get()?, stream) }
    }

    /// # Safety
    /// The stream is one of the driver's, and outlives this value.
    unsafe fn on(driver: &'static Driver, stream: NonNull<c_void>) -> Result<Copies, HandlerError> {
        let mut context = null_mut();
        // SAFETY: by the contract of this function; what is pushed is popped when this is dropped.
        unsafe {
            driver
                .check("cuStreamGetCtx", (driver.stream_context)(stream.as_ptr(), &mut context))?;
            driver.check("cuCtxPushCurrent", (driver.push_context)(context))?;
        }
        Ok(Copies(Some(OnStream { driver, stream, is_pending: Cell::new(false) })))
    }

    fn pinned(&self) -> Option<&'static PinnedPool> {
        self.0.as_ref().and_then(|on| on.driver.pinned.as_ref())
    }

    /// # Safety
    /// `from` has as many bytes on the device as `to`, which lives until [`finish`](Self::finish)
    /// returns.
    unsafe fn to_host(&self, to: &mut [u8], from: *const u8) -> Result<(), HandlerError> {
        if to.is_empty() {
            return Ok(());
        }
        // SAFETY: by the contract of this function.
        unsafe {
            let Some(on) = &self.0 else {
                to.as_mut_ptr().copy_from_nonoverlapping(from, to.len());
                return Ok(());
            };
            let (start, len) = (to.as_mut_ptr().cast(), to.len());
            on.is_pending.set(true);
            let status = (on.driver.to_host)(start, from as Address, len, on.stream.as_ptr());
            on.driver.check("cuMemcpyDtoHAsync", status)
        }
    }

    /// # Safety
    /// `to` has as many bytes on the device as `from`, which lives until [`finish`](Self::finish)
    /// returns.
    unsafe fn to_device(&self, to: *mut u8, from: &[u8]) -> Result<(), HandlerError> {
        if from.is_empty() {
            return Ok(());
        }
        // SAFETY: by the contract of this function.
        unsafe {
            let Some(on) = &self.0 else {
                to.copy_from_nonoverlapping(from.as_ptr(), from.len());
                return Ok(());
            };
            let (start, len) = (from.as_ptr().cast(), from.len());
            on.is_pending.set(true);
            let status = (on.driver.to_device)(to as Address, start, len, on.stream.as_ptr());
            on.driver.check("cuMemcpyHtoDAsync", status)
        }
    }

    /// Waits until the copies are made. Called on every path out: they use memory of the caller.
    fn finish(&self) -> Result<(), HandlerError> {
        match &self.0 {
            Some(on) if on.is_pending.get() => self.wait(),
            _ => Ok(()),
        }
    }

    /// Waits for all earlier work on the stream.
    fn wait(&self) -> Result<(), HandlerError> {
        let Some(on) = &self.0 else { return Ok(()) };
        on.is_pending.set(false);
        // SAFETY: the stream is the call's.
        let status = unsafe { (on.driver.synchronize)(on.stream.as_ptr()) };
        on.driver.check("cuStreamSynchronize", status)
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        let _ = self.finish();
        if let Some(on) = &self.0 {
            let mut context = null_mut();
            // SAFETY: it was pushed on this thread when this was made.
            unsafe { (on.driver.pop_context)(&mut context) };
        }
    }
}

impl Driver {
    fn get() -> Result<&'static Driver, HandlerError> {
        static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
        let driver = DRIVER.get_or_init(|| Driver::open().map_err(|error| error.to_string()));
        driver.as_ref().map_err(|error| {
            let message = format!("copies between host and device need CUDA's driver: {error}");
            HandlerError::new(ErrorCode::Unimplemented, message)
        })
    }

    fn open() -> Result<Driver, libloading::Error> {
        let name = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };
        // SAFETY: the driver's library does nothing that matters when it is loaded, and is never
        // unloaded; its functions of these names have these types.
        unsafe {
            let library: &'static libloading::Library =
                Box::leak(Box::new(libloading::Library::new(name)?));
            let allocate = library.get::<Allocate>(b"cuMemHostAlloc\0");
            Ok(Driver {
                pinned: allocate.ok().map(|allocate| PinnedPool::new(*allocate)),
                stream_context: *library.get(b"cuStreamGetCtx\0")?,
                push_context: *library.get(b"cuCtxPushCurrent_v2\0")?,
                pop_context: *library.get(b"cuCtxPopCurrent_v2\0")?,
                to_host: *library.get(b"cuMemcpyDtoHAsync_v2\0")?,
                to_device: *library.get(b"cuMemcpyHtoDAsync_v2\0")?,
                synchronize: *library.get(b"cuStreamSynchronize\0")?,
                error_name: library.get(b"cuGetErrorName\0").ok().map(|name| *name),
            })
        }
    }

    fn check(&self, function: &str, status: Status) -> Result<(), HandlerError> {
        if status == 0 {
            return Ok(());
        }
        let mut name = std::ptr::null();
        // SAFETY: the place of the pointer is valid; a name is a constant text.
        let name = unsafe {
            match self.error_name {
                Some(get) if get(status, &mut name) == 0 && !name.is_null() => {
                    format!(" ({})", CStr::from_ptr(name).to_string_lossy())
                }
                _ => String::new(),
            }
        };
        let code = match status {
            CUDA_ERROR_OUT_OF_MEMORY => ErrorCode::ResourceExhausted,
            _ => ErrorCode::Internal,
        };
        let message = format!("{function} failed with CUDA error {status}{name}");
        Err(HandlerError::new(code, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    thread_local! {
        /// The calls of the driver's functions, in order.
        static CALLS: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    }

    fn call(name: &'static str) -> Status {
        CALLS.with_borrow_mut(|calls| calls.push(name));
        0
    }

    unsafe extern "C" fn stream_context(_: Stream, context: *mut Context) -> Status {
        // SAFETY: the place of the pointer is valid.
        unsafe { *context = NonNull::dangling().as_ptr() };
        call("context")
    }

    unsafe extern "C" fn push_context(_: Context) -> Status {
        call("push")
    }

    unsafe extern "C" fn pop_context(_: *mut Context) -> Status {
        call("pop")
    }

    unsafe extern "C" fn to_host(to: *mut c_void, from: Address, len: usize, _: Stream) -> Status {
        // SAFETY: memory of the host stands for that of the device.
        unsafe { to.cast::<u8>().copy_from_nonoverlapping(from as *const u8, len) };
        call("to host")
    }

    unsafe extern "C" fn to_device(
        to: Address,
        from: *const c_void,
        len: usize,
        _: Stream,
    ) -> Status {
        // SAFETY: memory of the host stands for that of the device.
        unsafe { (to as *mut u8).copy_from_nonoverlapping(from.cast(), len) };
        call("to device")
    }

    unsafe extern "C" fn illegal_address(
        _: Address,
        _: *const c_void,
        _: usize,
        _: Stream,
    ) -> Status {
        call("to device");
        700
    }

    unsafe extern "C" fn synchronize(_: Stream) -> Status {
        call("wait")
    }

    unsafe extern "C" fn error_name(status: Status, name: *mut *const c_char) -> Status {
        if status != 700 {
            return 1;
        }
        // SAFETY: the place of the pointer is valid.
        unsafe { *name = c"CUDA_ERROR_ILLEGAL_ADDRESS".as_ptr() };
        0
    }

    /// A driver whose devices are the host.
    const DRIVER: Driver = Driver {
        stream_context,
        push_context,
        pop_context,
        to_host,
        to_device,
        synchronize,
        error_name: Some(error_name),
        pinned: None,
    };

    fn copies(driver: Driver) -> Copies {
        CALLS.take();
        let driver = Box::leak(Box::new(driver));
        // SAFETY: the functions above use no stream.
        unsafe { Copies::on(driver, NonNull::dangling()) }.unwrap()
    }

    /// C6: the stream is waited for before the host reads what was copied and before its memory is
    /// freed, once, and the thread's context is as it was.
    #[test]
    fn copies_are_waited_for_once_in_the_context_of_the_stream() {
        let (device, mut host) = ([1u8, 2, 3], [0u8; 3]);
        let from_device = copies(DRIVER);
        // SAFETY: arrays of equal size.
        unsafe { from_device.to_host(&mut host, device.as_ptr()) }.unwrap();
        from_device.wait().unwrap();
        drop(from_device);
        assert_eq!(host, device);
        assert_eq!(CALLS.take(), ["context", "push", "to host", "wait", "pop"]);

        let mut device = [0u8; 3];
        let to_device = copies(DRIVER);
        // SAFETY: arrays of equal size.
        unsafe { to_device.to_device(device.as_mut_ptr(), &host) }.unwrap();
        to_device.finish().unwrap();
        drop(to_device);
        assert_eq!(device, host);
        assert_eq!(CALLS.take(), ["context", "push", "to device", "wait", "pop"]);

        // A call without results has nothing to wait for.
        let nothing = copies(DRIVER);
        // SAFETY: no bytes.
        unsafe { nothing.to_device(device.as_mut_ptr(), &[]) }.unwrap();
        nothing.finish().unwrap();
        drop(nothing);
        assert_eq!(CALLS.take(), ["context", "push", "pop"]);
    }

    /// C6: an error of the driver has its name; the copies before it are waited for.
    #[test]
    fn an_error_of_the_driver_has_its_name() {
        let failing = copies(Driver { to_device: illegal_address, ..DRIVER });
        // SAFETY: nothing is copied.
        let error = unsafe { failing.to_device(std::ptr::null_mut(), &[0]) }.unwrap_err();
        assert_eq!(
            error.message,
            "cuMemcpyHtoDAsync failed with CUDA error 700 (CUDA_ERROR_ILLEGAL_ADDRESS)"
        );
        drop(failing);
        assert_eq!(CALLS.take(), ["context", "push", "to device", "wait", "pop"]);
        let unknown = DRIVER.check("cuStreamSynchronize", 999).unwrap_err();
        assert_eq!(unknown.message, "cuStreamSynchronize failed with CUDA error 999");
        let full = DRIVER.check("cuCtxPushCurrent", CUDA_ERROR_OUT_OF_MEMORY).unwrap_err();
        assert_eq!(full.code, ErrorCode::ResourceExhausted);
    }
}
