//! CUDA's driver: the size of a device's memory, and a kernel that scales an array.
//!
//! All unsafe code of this program is here. The library is opened by name when it is first needed,
//! and stays open.

#![expect(unsafe_code, reason = "the driver's functions are C, and kernels take addresses")]

use crate::Result;
use hloom::{
    CallbackContext, CallbackError, DType,
    callbacks::{InputView, OutputView},
};
use libloading::Library;
use std::{
    ffi::{CStr, c_char, c_void},
    path::Path,
    ptr::{NonNull, null_mut},
    sync::OnceLock,
};

type Status = i32;
type Handle = *mut c_void;

/// The name of the kernel in `kernels/scale.cu`.
const KERNEL: &CStr = c"scale";

/// The kernel as text, which the driver compiles.
const PTX: &str = concat!(include_str!("../kernels/scale.ptx"), "\0");

/// The threads of a block.
const THREADS: u32 = 256;

/// The functions that are needed.
pub struct Driver {
    init: unsafe extern "C" fn(u32) -> Status,
    error_name: unsafe extern "C" fn(Status, *mut *const c_char) -> Status,
    device: unsafe extern "C" fn(*mut i32, i32) -> Status,
    total_memory: unsafe extern "C" fn(*mut usize, i32) -> Status,
    stream_context: unsafe extern "C" fn(Handle, *mut Handle) -> Status,
    push_context: unsafe extern "C" fn(Handle) -> Status,
    pop_context: unsafe extern "C" fn(*mut Handle) -> Status,
    load_module: unsafe extern "C" fn(*mut Handle, *const c_void) -> Status,
    function: unsafe extern "C" fn(*mut Handle, Handle, *const c_char) -> Status,
    launch: unsafe extern "C" fn(
        Handle,
        u32,
        u32,
        u32,
        u32,
        u32,
        u32,
        u32,
        Handle,
        *mut *mut c_void,
        *mut *mut c_void,
    ) -> Status,
}

/// The kernel `scale`, loaded in the context of a stream. Modules are never unloaded.
pub struct Kernel {
    driver: &'static Driver,
    /// The code, with a final zero if it is text.
    image: Vec<u8>,
    /// The function, once a call has loaded it.
    function: OnceLock<Result<Function, String>>,
}

#[derive(Clone, Copy)]
struct Function(Handle);

// SAFETY: functions of the driver may be used by every thread.
unsafe impl Send for Function {}
// SAFETY: as above; it is never changed.
unsafe impl Sync for Function {}

impl Driver {
    /// Opens the driver's library.
    ///
    /// # Errors
    /// There is none, or it lacks a function.
    pub fn open() -> Result<&'static Driver> {
        // SAFETY: the driver's library is safe to load and is never unloaded; its functions of
        // these names have these types.
        unsafe {
            let library: &'static Library = Box::leak(Box::new(Library::new("libcuda.so.1")?));
            Ok(Box::leak(Box::new(Driver {
                init: *library.get(b"cuInit\0")?,
                error_name: *library.get(b"cuGetErrorName\0")?,
                device: *library.get(b"cuDeviceGet\0")?,
                total_memory: *library.get(b"cuDeviceTotalMem_v2\0")?,
                stream_context: *library.get(b"cuStreamGetCtx\0")?,
                push_context: *library.get(b"cuCtxPushCurrent_v2\0")?,
                pop_context: *library.get(b"cuCtxPopCurrent_v2\0")?,
                load_module: *library.get(b"cuModuleLoadData\0")?,
                function: *library.get(b"cuModuleGetFunction\0")?,
                launch: *library.get(b"cuLaunchKernel\0")?,
            })))
        }
    }

    /// The bytes of a device's memory.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn total_memory(&self, ordinal: i32) -> Result<usize> {
        let (mut device, mut bytes) = (0, 0);
        // SAFETY: the addresses are those of local variables.
        unsafe {
            self.check("cuInit", (self.init)(0))?;
            self.check("cuDeviceGet", (self.device)(&mut device, ordinal))?;
            self.check("cuDeviceTotalMem", (self.total_memory)(&mut bytes, device))?;
        }
        Ok(bytes)
    }

    /// Calls `work` on this thread in a context.
    ///
    /// # Safety
    /// The context is one of the driver.
    unsafe fn in_context<R>(&self, context: Handle, work: impl FnOnce() -> Result<R>) -> Result<R> {
        // SAFETY: by the contract of this function; what is pushed is popped.
        unsafe {
            self.check("cuCtxPushCurrent", (self.push_context)(context))?;
            let outcome = work();
            let mut popped = null_mut();
            let status = (self.pop_context)(&mut popped);
            let value = outcome?;
            self.check("cuCtxPopCurrent", status)?;
            Ok(value)
        }
    }

    fn check(&self, function: &str, status: Status) -> Result {
        if status == 0 {
            return Ok(());
        }
        let mut name = std::ptr::null();
        // SAFETY: the address of a local variable, which is set to a constant text.
        let known = unsafe { (self.error_name)(status, &mut name) } == 0 && !name.is_null();
        // SAFETY: as above.
        let name = known.then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy());
        let name = name.unwrap_or_default();
        Err(format!("{function} failed with CUDA error {status} {name}").into())
    }
}

impl Kernel {
    /// The kernel as text for every GPU.
    ///
    /// # Errors
    /// There is no driver.
    pub fn ptx() -> Result<Kernel> {
        Kernel::of(PTX.into())
    }

    /// The kernel that `nvcc` compiled for a GPU.
    ///
    /// # Errors
    /// There is no driver, or no such file.
    pub fn cubin(path: &Path) -> Result<Kernel> {
        let image = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Kernel::of(image)
    }

    fn of(image: Vec<u8>) -> Result<Kernel> {
        let driver = Driver::open()?;
        Ok(Kernel { driver, image, function: OnceLock::new() })
    }

    /// Queues `y = factor * x` on the stream of a callback.
    ///
    /// # Errors
    /// The program has no stream, the arrays are not equal, of type `f32` and on the device; or the
    /// driver's error.
    pub fn scale(
        &self,
        context: &CallbackContext<'_>,
        x: &InputView<'_>,
        y: &mut OutputView<'_>,
        factor: f32,
    ) -> Result<(), CallbackError> {
        let (stream, count) = checked(context, x, y)?;
        // SAFETY: both are memory of the device with `count` elements, in use by this call until
        // the stream has passed it.
        unsafe { self.queue(stream, x.as_ptr().cast(), y.as_mut_ptr().cast(), factor, count) }
    }

    /// Queues `y = factor * y`, for an output that is aliased to its input.
    ///
    /// # Errors
    /// As [`scale`](Self::scale).
    pub fn scale_in_place(
        &self,
        context: &CallbackContext<'_>,
        x: &InputView<'_>,
        y: &mut OutputView<'_>,
        factor: f32,
    ) -> Result<(), CallbackError> {
        let (stream, count) = checked(context, x, y)?;
        let start = y.as_mut_ptr();
        // SAFETY: as in `scale`; each thread of the kernel reads its element before it writes it.
        unsafe { self.queue(stream, start.cast_const().cast(), start.cast(), factor, count) }
    }

    /// As [`scale`](Self::scale), in two steps through scratch memory.
    ///
    /// # Errors
    /// As [`scale`](Self::scale), or there is no scratch memory.
    pub fn scale_through_scratch(
        &self,
        context: &CallbackContext<'_>,
        x: &InputView<'_>,
        y: &mut OutputView<'_>,
        factor: f32,
    ) -> Result<(), CallbackError> {
        let (stream, count) = checked(context, x, y)?;
        let scratch = context.scratch(count as usize * size_of::<f32>(), 16)?.as_ptr();
        // SAFETY: as in `scale`; the scratch memory is of the device and as large, and the
        // allocator hands it out again only to later work of the stream.
        unsafe {
            self.queue(stream, x.as_ptr().cast(), scratch.cast(), factor, count)?;
            self.queue(stream, scratch.cast_const().cast(), y.as_mut_ptr().cast(), 1.0, count)
        }
    }

    /// # Safety
    /// The stream is one of the driver; `x` and `y` are memory of its device with `count` elements,
    /// equal or disjoint, which is in use for this until the stream has passed it.
    unsafe fn queue(
        &self,
        stream: NonNull<c_void>,
        x: *const f32,
        y: *mut f32,
        factor: f32,
        count: u32,
    ) -> Result<(), CallbackError> {
        let driver = self.driver;
        let mut context = null_mut();
        let (mut x, mut y, mut factor, mut number) = (x, y, factor, count);
        let mut arguments: [*mut c_void; 4] = [
            (&raw mut y).cast(),
            (&raw mut x).cast(),
            (&raw mut factor).cast(),
            (&raw mut number).cast(),
        ];
        // SAFETY: by the contract of this function; the arguments are of the kernel's types, and
        // are copied by the launch. The context is the stream's.
        let queued = unsafe {
            let status = (driver.stream_context)(stream.as_ptr(), &mut context);
            driver.check("cuStreamGetCtx", status).and_then(|()| {
                driver.in_context(context, || {
                    let Function(function) = self.function()?;
                    let status = (driver.launch)(
                        function,
                        count.div_ceil(THREADS).max(1),
                        1,
                        1,
                        THREADS,
                        1,
                        1,
                        0,
                        stream.as_ptr(),
                        arguments.as_mut_ptr(),
                        null_mut(),
                    );
                    driver.check("cuLaunchKernel", status)
                })
            })
        };
        queued.map_err(|error| CallbackError::new(error.to_string()))
    }

    /// The function in the current context; this program uses one device, so that it is always the
    /// same.
    fn function(&self) -> Result<Function> {
        let load = || -> Result<Function> {
            let (mut module, mut function) = (null_mut(), null_mut());
            // SAFETY: the image is a cubin, or text that ends with a zero; the addresses are those
            // of local variables.
            unsafe {
                let status = (self.driver.load_module)(&mut module, self.image.as_ptr().cast());
                self.driver.check("cuModuleLoadData", status)?;
                let status = (self.driver.function)(&mut function, module, KERNEL.as_ptr());
                self.driver.check("cuModuleGetFunction", status)?;
            }
            Ok(Function(function))
        };
        let function = self.function.get_or_init(|| load().map_err(|error| error.to_string()));
        Ok(function.clone()?)
    }
}

/// The stream and the number of elements.
fn checked(
    context: &CallbackContext<'_>,
    x: &InputView<'_>,
    y: &mut OutputView<'_>,
) -> Result<(NonNull<c_void>, u32), CallbackError> {
    let stream = context.stream().ok_or_else(|| CallbackError::new("there is no stream"))?;
    let (from, to) = (x.shape(), y.shape());
    if from.sizes() != to.sizes() || [from.dtype(), to.dtype()] != [DType::F32; 2] {
        return Err(CallbackError::new(format!("{from} and {to} are not equal arrays of f32")));
    }
    if x.as_bytes().is_ok() || y.as_bytes_mut().is_ok() {
        return Err(CallbackError::new(format!("an array of {from} is in memory of the host")));
    }
    let count = u32::try_from(from.element_count());
    Ok((stream, count.map_err(|error| CallbackError::new(error.to_string()))?))
}
