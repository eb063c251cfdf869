//! A plugin's function table, never read beyond its size.

use crate::{Error, ErrorCode, Extension, ExtensionType, PluginProblem, Result, plugin::fork, sys};
use std::{
    ffi::{c_char, c_void},
    path::{Path, PathBuf},
    ptr::NonNull,
};
use sys::{Arguments, Versioned, slice, string};

/// The function table of a plugin, with the version that decides what may be called.
///
/// The table is never copied: a plugin older than this crate has a shorter one. A function that
/// the table lacks is an error that names it, the plugin and the version it came with.
pub struct Api {
    table: NonNull<sys::PJRT_Api>,
    name: String,
    path: Option<PathBuf>,
    major: i32,
    minor: i32,
    extensions: Vec<Extension>,
}

// SAFETY: the table is immutable, lives as long as the process, and its functions are thread-safe.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

/// Bytes of `PJRT_Api` before its first function.
const HEADER: usize = sys::functions::FUNCTIONS_OFFSET;
/// More functions than any table will ever have; a larger one is not a table.
const MAX_FUNCTIONS: usize = 4096;
/// Bytes of the version structure.
const VERSION: usize = size_of::<sys::PJRT_Api_Version>();

impl Api {
    /// Checks a table and reads its version and its list of extensions.
    ///
    /// # Safety
    /// `table` is null or points to a function table that lives as long as the process.
    pub(crate) unsafe fn new(
        name: String,
        path: Option<PathBuf>,
        table: *const sys::PJRT_Api,
    ) -> Result<Self> {
        let shown = path.clone().unwrap_or_else(|| PathBuf::from(format!("<registered {name}>")));
        let problem = |problem| Error::Plugin { path: shown.clone(), problem };
        let table =
            NonNull::new(table.cast_mut()).ok_or_else(|| problem(PluginProblem::NullApi))?;
        let raw = table.as_ptr();
        // SAFETY: `struct_size` is the first field; the rest is read once the size covers it.
        let size = unsafe { (&raw const (*raw).struct_size).read() };
        if size < HEADER {
            return Err(problem(PluginProblem::ApiTooSmall { found: size, least: HEADER }));
        }
        let most = HEADER + 8 * MAX_FUNCTIONS;
        if size > most {
            return Err(problem(PluginProblem::ApiTooLarge { found: size, most }));
        }
        // SAFETY: the header lies within the size that has been checked.
        let (version_size, major, minor) = unsafe {
            let version = &raw const (*raw).pjrt_api_version;
            (
                (&raw const (*version).struct_size).read(),
                (&raw const (*version).major_version).read(),
                (&raw const (*version).minor_version).read(),
            )
        };
        if version_size < VERSION {
            let least = VERSION;
            return Err(problem(PluginProblem::VersionTooSmall { found: version_size, least }));
        }
        let expected = sys::PJRT_API_MAJOR as i32;
        if major != expected {
            return Err(problem(PluginProblem::Major { major, minor, expected }));
        }
        if minor < i32::from(sys::MINIMUM_MINOR) {
            let reason = format!("0.{} is the oldest that is supported", sys::MINIMUM_MINOR);
            return Err(problem(PluginProblem::Minor { minor, reason }));
        }
        if minor == i32::from(sys::BROKEN_MINOR) {
            let reason = "its function table is out of order; use another version".to_owned();
            return Err(problem(PluginProblem::Minor { minor, reason }));
        }
        let functions = || sys::functions().filter(|f| f.first_minor <= sys::MINIMUM_MINOR);
        let least = functions().map(|f| f.offset() + 8).max().unwrap_or(HEADER);
        if size < least {
            return Err(problem(PluginProblem::ApiTooSmall { found: size, least }));
        }
        for function in functions().filter(|f| is_essential(f.name)) {
            // SAFETY: the table was checked above.
            if unsafe { function.address(table) }.is_none() {
                return Err(problem(PluginProblem::NullFunction(function.name)));
            }
        }
        // SAFETY: the header lies within the size that has been checked.
        let first = unsafe { (&raw const (*raw).extension_start).read() };
        // SAFETY: the plugin's list lives as long as its table.
        let extensions = unsafe { Extension::list(first) };
        Ok(Self { table, name, path, major, minor, extensions })
    }

    /// The plugin's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The plugin's file; `None` for a registered table.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Major and minor version of the C API that the plugin was built with.
    pub fn version(&self) -> (i32, i32) {
        (self.major, self.minor)
    }

    /// The minor version that decides which structure sizes are sent.
    pub fn minor(&self) -> u16 {
        u16::try_from(self.minor).unwrap_or(u16::MAX)
    }

    /// Whether the table has a function that takes these arguments.
    pub fn has<A: Arguments>(&self) -> bool {
        // SAFETY: the table was checked when `self` was made.
        unsafe { A::FUNCTION.address(self.table) }.is_some()
    }

    /// The names of the functions that the table has.
    pub fn functions(&self) -> impl Iterator<Item = &'static str> {
        // SAFETY: the table was checked when `self` was made.
        let has = |f: &sys::Function| unsafe { f.address(self.table) }.is_some();
        sys::functions().filter(has).map(|f| f.name)
    }

    /// The table, for calls that this crate does not wrap.
    pub fn as_ptr(&self) -> *const sys::PJRT_Api {
        self.table.as_ptr()
    }

    /// The plugin's extensions, in its own order.
    pub fn extensions(&self) -> &[Extension] {
        &self.extensions
    }

    /// The first extension of this type.
    pub fn extension(&self, kind: ExtensionType) -> Option<&Extension> {
        self.extensions.iter().find(|e| e.kind() == kind)
    }

    /// A structure of zeros with the size that this plugin's version expects.
    pub fn zeroed<V: Versioned>(&self) -> V {
        V::zeroed(self.minor())
    }

    /// Calls a function of the table.
    ///
    /// # Errors
    /// The plugin's own error, [`Error::Unsupported`] if it lacks the function, or
    /// [`Error::Forked`].
    ///
    /// # Safety
    /// The fields of `args` are as the C API requires.
    #[inline]
    pub unsafe fn call<A: Arguments>(&self, args: &mut A) -> Result<()> {
        self.check_process(A::FUNCTION.name)?;
        // SAFETY: the table was checked; the caller answers for the fields.
        match unsafe { sys::call(self.table, args) } {
            Some(error) if error.is_null() => Ok(()),
            // SAFETY: an error that this plugin returned just now.
            Some(error) => Err(unsafe { self.take_error(A::FUNCTION.name, error) }),
            None => Err(self.unsupported(A::FUNCTION.name, A::FUNCTION.first_minor)),
        }
    }

    /// Calls a function that frees something; an error is only logged, since nobody can act on it.
    /// Does nothing in a forked process.
    ///
    /// # Safety
    /// As for [`Api::call`].
    #[inline]
    pub(crate) unsafe fn release<A: Arguments>(&self, args: &mut A) {
        // SAFETY: by the contract of this function.
        if let Err(error) = unsafe { self.call(args) } {
            not_released(&error);
        }
    }

    /// Returns an error in a forked process, which has none of the plugin's threads.
    #[inline]
    pub(crate) fn check_process(&self, function: &'static str) -> Result<()> {
        if fork::is_child() { Err(self.forked(function)) } else { Ok(()) }
    }

    #[cold]
    fn forked(&self, function: &'static str) -> Error {
        Error::Forked { plugin: self.name.clone(), function }
    }

    /// The error for a function or extension that the plugin lacks.
    pub(crate) fn unsupported(&self, function: &'static str, since: u16) -> Error {
        Error::Unsupported {
            plugin: self.name.clone(),
            major: self.major,
            minor: self.minor,
            function,
            since: u32::from(since),
        }
    }

    /// A handle that the plugin returned, which must not be null.
    pub(crate) fn handle<T>(&self, raw: *mut T, function: &'static str) -> Result<NonNull<T>> {
        NonNull::new(raw).ok_or_else(|| self.null_handle(function))
    }

    /// The error for a handle that is null although the call succeeded.
    #[cold]
    pub(crate) fn null_handle(&self, function: &'static str) -> Error {
        Error::Call {
            plugin: self.name.clone(),
            function,
            code: ErrorCode::Internal,
            message: "the plugin reported success and returned a null handle".to_owned(),
            payloads: Vec::new(),
        }
    }

    /// Copies an error and frees it.
    ///
    /// # Safety
    /// `error` belongs to the caller, came from this plugin, and is not used again.
    pub(crate) unsafe fn take_error(
        &self,
        function: &'static str,
        error: *mut sys::PJRT_Error,
    ) -> Error {
        let mut text: sys::PJRT_Error_Message_Args = self.zeroed();
        text.error = error;
        // SAFETY: both functions are among those that are checked to exist; `error` is valid.
        let message = unsafe {
            self.void_call(sys::ERROR_MESSAGE, &mut text);
            string(text.message, text.message_size)
        };
        let mut code: sys::PJRT_Error_GetCode_Args = self.zeroed();
        code.error = error;
        // SAFETY: `error` is valid. If this call fails itself, its error is freed and the code is
        // `Unknown`.
        let code = match unsafe { sys::call(self.table, &mut code) } {
            Some(inner) if inner.is_null() => ErrorCode::from(code.code as i32),
            Some(inner) => {
                // SAFETY: `inner` is an error of this plugin that belongs to us.
                unsafe { self.destroy_error(inner) };
                ErrorCode::Unknown
            }
            None => ErrorCode::Unknown,
        };
        // SAFETY: `error` is valid until it is destroyed here, at the end.
        let payloads = unsafe {
            let payloads = self.error_payloads(error);
            self.destroy_error(error);
            payloads
        };
        Error::Call { plugin: self.name.clone(), function, code, message, payloads }
    }

    /// # Safety
    /// `error` is a valid error of this plugin.
    unsafe fn error_payloads(&self, error: *mut sys::PJRT_Error) -> Vec<(String, Vec<u8>)> {
        if !self.has::<sys::PJRT_Error_ForEachPayload_Args>() {
            return Vec::new();
        }
        let mut payloads: Vec<(String, Vec<u8>)> = Vec::new();
        let mut args: sys::PJRT_Error_ForEachPayload_Args = self.zeroed();
        args.error = error;
        args.visitor = Some(visit_payload);
        args.user_arg = (&raw mut payloads).cast();
        // SAFETY: the visitor runs during the call, while `payloads` is alive.
        if let Some(inner) = unsafe { sys::call(self.table, &mut args) }
            && !inner.is_null()
        {
            // SAFETY: `inner` belongs to us.
            unsafe { self.destroy_error(inner) };
        }
        payloads
    }

    /// # Safety
    /// `error` belongs to the caller and is not used again.
    unsafe fn destroy_error(&self, error: *mut sys::PJRT_Error) {
        let mut args: sys::PJRT_Error_Destroy_Args = self.zeroed();
        args.error = error;
        // SAFETY: by the contract of this function.
        unsafe { self.void_call(sys::ERROR_DESTROY, &mut args) };
    }

    /// Calls one of the two functions that return nothing.
    ///
    /// # Safety
    /// `function` takes `A`, and the fields of `args` are valid.
    unsafe fn void_call<A>(&self, function: sys::Function, args: &mut A) {
        // SAFETY: the table was checked; the caller answers for the type and the fields.
        unsafe {
            if let Some(address) = function.address(self.table) {
                let call: unsafe extern "C" fn(*mut A) = std::mem::transmute(address.as_ptr());
                call(args);
            }
        }
    }
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api")
            .field("name", &self.name)
            .field("path", &self.path)
            .field("version", &(self.major, self.minor))
            .finish_non_exhaustive()
    }
}

/// Logs that an object could not be freed.
#[cold]
pub(crate) fn not_released(error: &Error) {
    // A forked process has a copy of the object, which is not used.
    if !matches!(error, Error::Forked { .. }) {
        tracing::warn!(%error, "could not release an object");
    }
}

/// Collects one payload of an error.
unsafe extern "C" fn visit_payload(
    key: *const c_char,
    key_size: usize,
    value: *const c_char,
    value_size: usize,
    user_arg: *mut c_void,
) {
    // SAFETY: `user_arg` is the vector of `error_payloads`; sizes belong to pointers.
    unsafe {
        let payloads = &mut *user_arg.cast::<Vec<(String, Vec<u8>)>>();
        payloads.push((string(key, key_size), slice(value.cast::<u8>(), value_size).to_vec()));
    }
}

/// Functions that every plugin must have: one with a null pointer there is refused.
fn is_essential(name: &str) -> bool {
    const ESSENTIAL: [&str; 23] = [
        "PJRT_Error_Destroy",
        "PJRT_Error_Message",
        "PJRT_Error_GetCode",
        "PJRT_Event_Destroy",
        "PJRT_Event_IsReady",
        "PJRT_Event_Error",
        "PJRT_Event_Await",
        "PJRT_Event_OnReady",
        "PJRT_Client_Create",
        "PJRT_Client_Destroy",
        "PJRT_Client_PlatformName",
        "PJRT_Client_Devices",
        "PJRT_Client_AddressableDevices",
        "PJRT_Client_Compile",
        "PJRT_Client_BufferFromHostBuffer",
        "PJRT_Device_GetDescription",
        "PJRT_LoadedExecutable_Destroy",
        "PJRT_LoadedExecutable_GetExecutable",
        "PJRT_LoadedExecutable_Execute",
        "PJRT_Executable_Destroy",
        "PJRT_Executable_NumOutputs",
        "PJRT_Buffer_Destroy",
        "PJRT_Buffer_ToHostBuffer",
    ];
    ESSENTIAL.contains(&name)
}
