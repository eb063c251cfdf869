//! Host copies of the arguments and results of a call on a device.
//!
//! The FFI has no functions for copies, so the driver of the device makes them, on the stream of
//! the call. It is opened by name when it is first needed: a program that runs on such a device has
//! it loaded.

use super::host_arrays::HostArrays;
use super::pinned::{Allocate, PinnedPool};
use crate::ErrorCode;
use hloom_ffi::{CallFrame, HandlerError};
use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::OnceLock;

type Status = i32;
type Stream = *mut c_void;
type Context = *mut c_void;
type Address = u64;

/// The functions of CUDA's driver that copy.
struct Driver {
    stream_context: unsafe extern "C" fn(Stream, *mut Context) -> Status,
    push_context: unsafe extern "C" fn(Context) -> Status,
    pop_context: unsafe extern "C" fn(*mut Context) -> Status,
    to_host: unsafe extern "C" fn(*mut c_void, Address, usize, Stream) -> Status,
    to_device: unsafe extern "C" fn(Address, *const c_void, usize, Stream) -> Status,
    synchronize: unsafe extern "C" fn(Stream) -> Status,
    /// Host memory that it copies from and to at full speed; `None` if it cannot pin any.
    pinned: Option<PinnedPool>,
}

/// A stream whose context is the thread's current one, as its driver requires; without a driver,
/// memory of the host.
struct Copies(Option<(&'static Driver, NonNull<c_void>)>);

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
        copies.finish()?;
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
        let driver = Driver::get()?;
        let mut context = null_mut();
        // SAFETY: the stream is the call's; what is pushed is popped when this is dropped.
        unsafe {
            check("cuStreamGetCtx", (driver.stream_context)(stream.as_ptr(), &mut context))?;
            check("cuCtxPushCurrent", (driver.push_context)(context))?;
        }
        Ok(Copies(Some((driver, stream))))
    }

    fn pinned(&self) -> Option<&'static PinnedPool> {
        self.0.and_then(|(driver, _)| driver.pinned.as_ref())
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
            match self.0 {
                None => to.as_mut_ptr().copy_from_nonoverlapping(from, to.len()),
                Some((driver, stream)) => {
                    let (start, len) = (to.as_mut_ptr().cast(), to.len());
                    check(
                        "cuMemcpyDtoHAsync",
                        (driver.to_host)(start, from as Address, len, stream.as_ptr()),
                    )?;
                }
            }
        }
        Ok(())
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
            match self.0 {
                None => to.copy_from_nonoverlapping(from.as_ptr(), from.len()),
                Some((driver, stream)) => {
                    let (start, len) = (from.as_ptr().cast(), from.len());
                    check(
                        "cuMemcpyHtoDAsync",
                        (driver.to_device)(to as Address, start, len, stream.as_ptr()),
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Waits until the copies are made. Called on every path out: they use memory of the caller.
    fn finish(&self) -> Result<(), HandlerError> {
        match self.0 {
            None => Ok(()),
            Some((driver, stream)) => {
                // SAFETY: the stream is the call's.
                let status = unsafe { (driver.synchronize)(stream.as_ptr()) };
                check("cuStreamSynchronize", status)
            }
        }
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        let _ = self.finish();
        if let Some((driver, _)) = self.0 {
            let mut context = null_mut();
            // SAFETY: it was pushed on this thread when this was made.
            unsafe { (driver.pop_context)(&mut context) };
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
            })
        }
    }
}

fn check(function: &str, status: Status) -> Result<(), HandlerError> {
    match status {
        0 => Ok(()),
        status => {
            let message = format!("{function} failed with CUDA error {status}");
            Err(HandlerError::new(ErrorCode::Internal, message))
        }
    }
}
