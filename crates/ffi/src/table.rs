//! The function table of the XLA FFI, which is handed to handlers.

use crate::{ErrorCode, HandlerError, sys};
use std::{
    ffi::{CStr, CString, c_void},
    mem::{offset_of, size_of},
    ptr::{NonNull, null_mut},
};

/// The function table of a plugin's XLA FFI, never read beyond its size. Cheap to copy.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Table(NonNull<sys::XLA_FFI_Api>);

// SAFETY: the table is immutable and lives as long as its plugin, which is never unloaded.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// A function of the table that returns an error.
type Slot<A> = Option<unsafe extern "C" fn(args: *mut A) -> *mut sys::XLA_FFI_Error>;

/// Calls an entry: `table.call(entry!(XLA_FFI_Stream_Get), &mut args)`.
macro_rules! entry {
    ($field:ident) => {
        $crate::table::TableEntry {
            offset: std::mem::offset_of!($crate::sys::XLA_FFI_Api, $field),
            name: stringify!($field),
            slot: |table: &$crate::sys::XLA_FFI_Api| table.$field,
        }
    };
}
pub(crate) use entry;

/// An entry of the table, with its type.
pub(crate) struct TableEntry<A> {
    pub(crate) offset: usize,
    pub(crate) name: &'static str,
    /// Only ties the type.
    pub(crate) slot: fn(&sys::XLA_FFI_Api) -> Slot<A>,
}

impl Table {
    /// The table at this address; `None` for null or a table that is too short.
    ///
    /// # Safety
    /// `raw` is null or points to a table that lives as long as the process.
    pub(crate) unsafe fn new(raw: *const sys::XLA_FFI_Api) -> Option<Self> {
        let raw = NonNull::new(raw.cast_mut())?;
        // SAFETY: the size is the first field.
        let size = unsafe { (&raw const (*raw.as_ptr()).struct_size).read() };
        (size >= offset_of!(sys::XLA_FFI_Api, XLA_FFI_Error_Create)).then_some(Self(raw))
    }

    /// Major and minor version of the FFI.
    pub fn version(self) -> (i32, i32) {
        // SAFETY: the version lies within the size that was checked.
        unsafe {
            let version = &raw const (*self.0.as_ptr()).api_version;
            (
                (&raw const (*version).major_version).read(),
                (&raw const (*version).minor_version).read(),
            )
        }
    }

    /// Whether the FFI is at least of this version.
    pub(crate) fn is_since(self, minor: i32) -> bool {
        self.version() >= (0, minor)
    }

    fn address(self, offset: usize) -> Option<NonNull<c_void>> {
        // SAFETY: the size is the first field; the entry is read only if the size covers it.
        unsafe {
            let size = (&raw const (*self.0.as_ptr()).struct_size).read();
            if size < offset + size_of::<*mut c_void>() {
                return None;
            }
            NonNull::new(self.0.as_ptr().byte_add(offset).cast::<*mut c_void>().read())
        }
    }

    /// Calls an entry.
    ///
    /// # Safety
    /// The fields of `args` are as the entry requires.
    pub(crate) unsafe fn call<A>(
        self,
        entry: TableEntry<A>,
        args: &mut A,
    ) -> Result<(), HandlerError> {
        let _ = entry.slot;
        let Some(address) = self.address(entry.offset) else {
            let (major, minor) = self.version();
            let message = format!("the plugin's XLA FFI {major}.{minor} lacks {}", entry.name);
            return Err(HandlerError::new(ErrorCode::Unimplemented, message));
        };
        // SAFETY: the entry has this type; the caller answers for the fields.
        let error = unsafe {
            let function: unsafe extern "C" fn(*mut A) -> *mut sys::XLA_FFI_Error =
                std::mem::transmute(address.as_ptr());
            function(args)
        };
        if error.is_null() {
            Ok(())
        } else {
            // SAFETY: the call returned this error to us.
            Err(unsafe { self.take_error(error) })
        }
    }

    /// Makes an error for the plugin; null, which means success, only if the table is broken.
    pub(crate) fn make_error(self, error: &HandlerError) -> *mut sys::XLA_FFI_Error {
        // The message has no length: it ends at the first NUL.
        let message = CString::new(error.message.replace('\0', "\u{fffd}")).unwrap_or_default();
        let Some(address) = self.address(offset_of!(sys::XLA_FFI_Api, XLA_FFI_Error_Create)) else {
            tracing::error!(%error, "the plugin has no way to report a handler's error");
            return null_mut();
        };
        let code = match i32::from(error.code) {
            0 => i32::from(ErrorCode::Unknown),
            code => code,
        };
        let mut args = sys::XLA_FFI_Error_Create_Args {
            struct_size: sys::XLA_FFI_Error_Create_Args_STRUCT_SIZE,
            extension_start: null_mut(),
            message: message.as_ptr(),
            errc: code as sys::XLA_FFI_Error_Code,
        };
        // SAFETY: the entry has this type; the message lives during the call.
        unsafe {
            let create: unsafe extern "C" fn(
                *mut sys::XLA_FFI_Error_Create_Args,
            ) -> *mut sys::XLA_FFI_Error = std::mem::transmute(address.as_ptr());
            create(&mut args)
        }
    }

    /// Copies an error and frees it.
    ///
    /// # Safety
    /// The error belongs to the caller, who does not use it again.
    unsafe fn take_error(self, error: *mut sys::XLA_FFI_Error) -> HandlerError {
        let has_code = self.is_since(4);
        let mut details = sys::XLA_FFI_Error_GetDetails_Args {
            struct_size: if has_code { 36 } else { sys::XLA_FFI_Error_GetMessage_Args_STRUCT_SIZE },
            extension_start: null_mut(),
            error,
            message: std::ptr::null(),
            code: 0,
        };
        let mut destroy = sys::XLA_FFI_Error_Destroy_Args {
            struct_size: sys::XLA_FFI_Error_Destroy_Args_STRUCT_SIZE,
            extension_start: null_mut(),
            error,
        };
        let mut message = String::new();
        // SAFETY: both functions return nothing and take these structs, of which the older form of
        // the first is a prefix; the message is copied before the error is freed.
        unsafe {
            if let Some(address) =
                self.address(offset_of!(sys::XLA_FFI_Api, XLA_FFI_Error_GetMessage))
            {
                let get: unsafe extern "C" fn(*mut sys::XLA_FFI_Error_GetDetails_Args) =
                    std::mem::transmute(address.as_ptr());
                get(&mut details);
                if !details.message.is_null() {
                    message = CStr::from_ptr(details.message).to_string_lossy().into_owned();
                }
            }
            if let Some(address) = self.address(offset_of!(sys::XLA_FFI_Api, XLA_FFI_Error_Destroy))
            {
                let free: unsafe extern "C" fn(*mut sys::XLA_FFI_Error_Destroy_Args) =
                    std::mem::transmute(address.as_ptr());
                free(&mut destroy);
            }
        }
        let code = if has_code { ErrorCode::from(details.code as i32) } else { ErrorCode::Unknown };
        HandlerError::new(code, message)
    }
}

/// A byte span that borrows a string for a call.
pub(crate) fn span(text: &str) -> sys::XLA_FFI_ByteSpan {
    sys::XLA_FFI_ByteSpan { ptr: text.as_ptr().cast(), len: text.len() }
}
