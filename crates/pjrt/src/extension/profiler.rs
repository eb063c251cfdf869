//! Traces of device activity, for XProf and TensorBoard.
//!
//! ```no_run
//! # use hloom_pjrt::Plugin;
//! # fn main() -> Result<(), hloom_pjrt::Error> {
//! let profiler = Plugin::load("cuda")?.profiler(&[])?;
//! profiler.start()?;
//! // ... execute ...
//! profiler.stop()?;
//! std::fs::write("trace.xplane.pb", profiler.collect()?).expect("the folder can be written to");
//! # Ok(())
//! # }
//! ```

use crate::{
    Error, ErrorCode, Plugin, Result,
    plugin::api::{Api, not_released},
    sys,
};
use std::{ffi::c_void, mem::offset_of, ptr::NonNull};
use sys::{Versioned, string};

/// A profiler of a plugin (API 0.34 and later).
pub struct Profiler {
    api: &'static Api,
    table: NonNull<sys::PLUGIN_Profiler_Api>,
    raw: NonNull<sys::PLUGIN_Profiler>,
}

// SAFETY: the table is immutable; a profiler may be used on any thread.
unsafe impl Send for Profiler {}

/// A function of the profiler's own table.
type Slot<A> = Option<unsafe extern "C" fn(args: *mut A) -> *mut sys::PLUGIN_Profiler_Error>;

macro_rules! entry {
    ($field:ident, $name:literal) => {
        ProfilerEntry {
            offset: offset_of!(sys::PLUGIN_Profiler_Api, $field),
            name: $name,
            slot: |table: &sys::PLUGIN_Profiler_Api| table.$field,
        }
    };
}

struct ProfilerEntry<A> {
    offset: usize,
    name: &'static str,
    /// Only ties the type.
    slot: fn(&sys::PLUGIN_Profiler_Api) -> Slot<A>,
}

impl Plugin {
    /// A profiler with options: a serialized `tensorflow.ProfileOptions` message, or nothing.
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the extension.
    pub fn profiler(&self, options: &[u8]) -> Result<Profiler> {
        let api = self.api();
        let offset = offset_of!(sys::PJRT_Profiler_Extension, profiler_api);
        let table = api
            .extension(crate::ExtensionType::Profiler)
            .and_then(|extension| extension.slot(offset))
            .ok_or_else(|| api.unsupported("PLUGIN_Profiler_Api", 34))?
            .cast();
        let mut args = sys::PLUGIN_Profiler_Create_Args::zeroed(api.minor());
        args.options = options.as_ptr().cast();
        args.options_size = options.len();
        // SAFETY: the options outlive the call; the profiler is ours.
        unsafe { call(api, table, entry!(create, "PLUGIN_Profiler_Create"), &mut args) }?;
        Ok(Profiler { api, table, raw: api.handle(args.profiler, "PLUGIN_Profiler_Create")? })
    }
}

impl Profiler {
    /// Begins to record.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn start(&self) -> Result<()> {
        let mut args: sys::PLUGIN_Profiler_Start_Args = self.api.zeroed();
        args.profiler = self.raw.as_ptr();
        // SAFETY: the profiler is alive.
        unsafe { call(self.api, self.table, entry!(start, "PLUGIN_Profiler_Start"), &mut args) }
    }

    /// Ends recording.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn stop(&self) -> Result<()> {
        let mut args: sys::PLUGIN_Profiler_Stop_Args = self.api.zeroed();
        args.profiler = self.raw.as_ptr();
        // SAFETY: the profiler is alive.
        unsafe { call(self.api, self.table, entry!(stop, "PLUGIN_Profiler_Stop"), &mut args) }
    }

    /// The recording: a serialized `tensorflow.profiler.XSpace` message.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn collect(&self) -> Result<Vec<u8>> {
        let entry = || entry!(collect_data, "PLUGIN_Profiler_CollectData");
        let mut args: sys::PLUGIN_Profiler_CollectData_Args = self.api.zeroed();
        args.profiler = self.raw.as_ptr();
        // SAFETY: the profiler is alive; without a buffer the call only returns the size.
        unsafe { call(self.api, self.table, entry(), &mut args) }?;
        let mut bytes = vec![0; args.buffer_size_in_bytes];
        if !bytes.is_empty() {
            args.buffer = bytes.as_mut_ptr();
            // SAFETY: the buffer has the size that was asked for.
            unsafe { call(self.api, self.table, entry(), &mut args) }?;
        }
        Ok(bytes)
    }
}

impl Drop for Profiler {
    fn drop(&mut self) {
        let mut args: sys::PLUGIN_Profiler_Destroy_Args = self.api.zeroed();
        args.profiler = self.raw.as_ptr();
        // SAFETY: this handle owns the profiler, which is not used again.
        if let Err(error) = unsafe {
            call(self.api, self.table, entry!(destroy, "PLUGIN_Profiler_Destroy"), &mut args)
        } {
            not_released(&error);
        }
    }
}

/// The address of an entry, or `None` if the table ends before it or holds null.
fn address(table: NonNull<sys::PLUGIN_Profiler_Api>, offset: usize) -> Option<NonNull<c_void>> {
    // SAFETY: the size is the first field; the entry is read only if the size covers it.
    unsafe {
        let size = (&raw const (*table.as_ptr()).struct_size).read();
        if size < offset + size_of::<*mut c_void>() {
            return None;
        }
        NonNull::new(table.as_ptr().byte_add(offset).cast::<*mut c_void>().read())
    }
}

/// # Safety
/// The table is the plugin's, and the fields of `args` are as the entry requires.
unsafe fn call<A>(
    api: &Api,
    table: NonNull<sys::PLUGIN_Profiler_Api>,
    entry: ProfilerEntry<A>,
    args: &mut A,
) -> Result<()> {
    let _ = entry.slot;
    let address = address(table, entry.offset).ok_or_else(|| api.unsupported(entry.name, 34))?;
    // SAFETY: the entry has this type; the caller answers for the fields.
    let error = unsafe {
        let function: unsafe extern "C" fn(*mut A) -> *mut sys::PLUGIN_Profiler_Error =
            std::mem::transmute(address.as_ptr());
        function(args)
    };
    match NonNull::new(error) {
        None => Ok(()),
        // SAFETY: the call returned this error to us.
        Some(error) => Err(unsafe { take_error(api, table, entry.name, error) }),
    }
}

/// Copies an error and frees it.
///
/// # Safety
/// The error belongs to the caller, who does not use it again.
unsafe fn take_error(
    api: &Api,
    table: NonNull<sys::PLUGIN_Profiler_Api>,
    function: &'static str,
    error: NonNull<sys::PLUGIN_Profiler_Error>,
) -> Error {
    let mut text: sys::PLUGIN_Profiler_Error_Message_Args = api.zeroed();
    text.error = error.as_ptr();
    let mut number: sys::PLUGIN_Profiler_Error_GetCode_Args = api.zeroed();
    number.error = error.as_ptr();
    let mut destroy: sys::PLUGIN_Profiler_Error_Destroy_Args = api.zeroed();
    destroy.error = error.as_ptr();
    let mut message = String::new();
    let mut code = ErrorCode::Unknown;
    // SAFETY: the three functions take these structs; what the error owns is copied before it is
    // freed.
    unsafe {
        if let Some(address) = address(table, offset_of!(sys::PLUGIN_Profiler_Api, error_message)) {
            let get: unsafe extern "C" fn(*mut sys::PLUGIN_Profiler_Error_Message_Args) =
                std::mem::transmute(address.as_ptr());
            get(&mut text);
            message = string(text.message, text.message_size);
        }
        if let Some(address) = address(table, offset_of!(sys::PLUGIN_Profiler_Api, error_get_code))
        {
            let get: unsafe extern "C" fn(
                *mut sys::PLUGIN_Profiler_Error_GetCode_Args,
            ) -> *mut c_void = std::mem::transmute(address.as_ptr());
            if get(&mut number).is_null() {
                code = ErrorCode::from(number.code);
            }
        }
        if let Some(address) = address(table, offset_of!(sys::PLUGIN_Profiler_Api, error_destroy)) {
            let free: unsafe extern "C" fn(*mut sys::PLUGIN_Profiler_Error_Destroy_Args) =
                std::mem::transmute(address.as_ptr());
            free(&mut destroy);
        }
    }
    Error::Call { plugin: api.name().to_owned(), function, code, message, payloads: Vec::new() }
}
