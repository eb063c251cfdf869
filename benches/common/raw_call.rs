//! Direct calls of the C API.

use hloom_pjrt::sys::{self, Arguments};
use hloom_pjrt::{Buffer, LoadedExecutable};
use std::ptr::NonNull;

/// Calls of a program by the C API only.
pub struct RawCall {
    execute:
        unsafe extern "C" fn(*mut sys::PJRT_LoadedExecutable_Execute_Args) -> *mut sys::PJRT_Error,
    destroy: unsafe extern "C" fn(*mut sys::PJRT_Buffer_Destroy_Args) -> *mut sys::PJRT_Error,
    ready: unsafe extern "C" fn(*mut sys::PJRT_Buffer_ReadyEvent_Args) -> *mut sys::PJRT_Error,
    wait: unsafe extern "C" fn(*mut sys::PJRT_Event_Await_Args) -> *mut sys::PJRT_Error,
    destroy_event: unsafe extern "C" fn(*mut sys::PJRT_Event_Destroy_Args) -> *mut sys::PJRT_Error,
    options: Box<sys::PJRT_ExecuteOptions>,
    args: sys::PJRT_LoadedExecutable_Execute_Args,
    free: sys::PJRT_Buffer_Destroy_Args,
    event: sys::PJRT_Buffer_ReadyEvent_Args,
    awaited: sys::PJRT_Event_Await_Args,
    free_event: sys::PJRT_Event_Destroy_Args,
    /// The result on each device.
    outputs: Box<[*mut sys::PJRT_Buffer]>,
    // The arrays of the arguments.
    _arguments: Box<[*mut sys::PJRT_Buffer]>,
    _argument_lists: Box<[*const *mut sys::PJRT_Buffer]>,
    _output_lists: Box<[*mut *mut sys::PJRT_Buffer]>,
}

impl RawCall {
    /// `buffers` are the arguments of the first device, then those of the second...
    pub fn new<'b>(
        executable: &LoadedExecutable,
        buffers: impl IntoIterator<Item = &'b Buffer>,
    ) -> Self {
        let devices = executable.num_devices();
        let client = executable.client();
        let api = client.plugin().api();
        let table = NonNull::new(api.as_ptr().cast_mut()).expect("a table");
        let address = |function: sys::Function| {
            // SAFETY: the table of a loaded plugin.
            unsafe { function.address(table) }.expect("the function").as_ptr()
        };
        let arguments: Box<[_]> = buffers.into_iter().map(Buffer::as_ptr).collect();
        let width = arguments.len() / devices;
        let argument_lists: Box<[_]> =
            (0..devices).map(|d| arguments.as_ptr().wrapping_add(d * width)).collect();
        let mut outputs: Box<[*mut sys::PJRT_Buffer]> = vec![std::ptr::null_mut(); devices].into();
        let first = outputs.as_mut_ptr();
        let output_lists: Box<[_]> = (0..devices).map(|d| first.wrapping_add(d)).collect();
        let mut options: Box<sys::PJRT_ExecuteOptions> = Box::new(api.zeroed());
        let mut args: sys::PJRT_LoadedExecutable_Execute_Args = api.zeroed();
        args.executable = executable.as_ptr();
        args.options = &raw mut *options;
        args.argument_lists = argument_lists.as_ptr();
        args.num_devices = devices;
        args.num_args = width;
        args.output_lists = output_lists.as_ptr();
        // SAFETY: the functions of these names have these types.
        unsafe {
            Self {
                execute: std::mem::transmute::<
                    *mut std::ffi::c_void,
                    unsafe extern "C" fn(
                        *mut sys::PJRT_LoadedExecutable_Execute_Args,
                    ) -> *mut sys::PJRT_Error,
                >(address(
                    sys::PJRT_LoadedExecutable_Execute_Args::FUNCTION,
                )),
                destroy: std::mem::transmute::<
                    *mut std::ffi::c_void,
                    unsafe extern "C" fn(
                        *mut sys::PJRT_Buffer_Destroy_Args,
                    ) -> *mut sys::PJRT_Error,
                >(address(sys::PJRT_Buffer_Destroy_Args::FUNCTION)),
                ready: std::mem::transmute::<
                    *mut std::ffi::c_void,
                    unsafe extern "C" fn(
                        *mut sys::PJRT_Buffer_ReadyEvent_Args,
                    ) -> *mut sys::PJRT_Error,
                >(address(sys::PJRT_Buffer_ReadyEvent_Args::FUNCTION)),
                wait: std::mem::transmute::<
                    *mut std::ffi::c_void,
                    unsafe extern "C" fn(*mut sys::PJRT_Event_Await_Args) -> *mut sys::PJRT_Error,
                >(address(sys::PJRT_Event_Await_Args::FUNCTION)),
                destroy_event: std::mem::transmute::<
                    *mut std::ffi::c_void,
                    unsafe extern "C" fn(*mut sys::PJRT_Event_Destroy_Args) -> *mut sys::PJRT_Error,
                >(address(sys::PJRT_Event_Destroy_Args::FUNCTION)),
                options,
                args,
                free: api.zeroed(),
                event: api.zeroed(),
                awaited: api.zeroed(),
                free_event: api.zeroed(),
                outputs,
                _arguments: arguments,
                _argument_lists: argument_lists,
                _output_lists: output_lists,
            }
        }
    }

    /// Executes the program and destroys its result on each device.
    pub fn call(&mut self) {
        self.args.options = &raw mut *self.options;
        // SAFETY: all memory of the arguments is alive.
        unsafe {
            assert!((self.execute)(&raw mut self.args).is_null());
            for &output in &self.outputs {
                self.free.buffer = output;
                assert!((self.destroy)(&raw mut self.free).is_null());
            }
        }
    }

    /// As [`call`](Self::call), but waits for the result on each device.
    #[allow(dead_code, reason = "not every bench waits")]
    pub fn call_and_wait(&mut self) {
        self.args.options = &raw mut *self.options;
        // SAFETY: all memory of the arguments is alive.
        unsafe {
            assert!((self.execute)(&raw mut self.args).is_null());
            for &output in &self.outputs {
                self.event.buffer = output;
                assert!((self.ready)(&raw mut self.event).is_null());
                self.awaited.event = self.event.event;
                assert!((self.wait)(&raw mut self.awaited).is_null());
                self.free_event.event = self.event.event;
                assert!((self.destroy_event)(&raw mut self.free_event).is_null());
                self.free.buffer = output;
                assert!((self.destroy)(&raw mut self.free).is_null());
            }
        }
    }
}
