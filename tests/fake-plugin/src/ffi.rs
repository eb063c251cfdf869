//! The FFI extension in each of its forms, with just enough of an XLA FFI to ask a handler for its
//! metadata and to register it.

use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI64, Ordering};

use hloom_pjrt_sys as sys;

use crate::lies::FfiForm;
use crate::table::failure;

/// Handlers registered through the FFI's own registry.
pub(crate) static HANDLERS: AtomicI64 = AtomicI64::new(0);

/// The version that this FFI reports.
const VERSION: (i32, i32) = (0, 2);

/// The extension, or null for a plugin without one.
pub(crate) fn extension(form: Option<FfiForm>) -> *const sys::PJRT_Extension_Base {
    let Some(form) = form else { return null() };
    let (type_, slots) = match form {
        FfiForm::Gpu => {
            (sys::PJRT_Extension_Type_Gpu_Custom_Call, vec![register_on_gpu as *const () as usize])
        }
        FfiForm::WithoutHandlers => (sys::PJRT_Extension_Type_FFI, vec![0, 0]),
        FfiForm::V2 => {
            (sys::PJRT_Extension_Type_FFI, vec![0, 0, register_v2 as *const () as usize])
        }
        FfiForm::V3 => {
            (sys::PJRT_Extension_Type_FFI, vec![0, 0, register_v3 as *const () as usize])
        }
    };
    let base =
        sys::PJRT_Extension_Base { struct_size: 24 + 8 * slots.len(), type_, next: null_mut() };
    let mut words = vec![base.struct_size, base.type_ as usize, 0];
    words.extend(slots);
    Box::leak(words.into_boxed_slice()).as_ptr().cast()
}

/// The error of plugins for a struct that is too short.
fn too_short(name: &str, expected: usize, found: usize) -> *mut sys::PJRT_Error {
    failure(3, format!("Unexpected {name} size: expected {expected}, got {found}"))
}

unsafe extern "C" fn register_v2(
    args: *mut sys::PJRT_FFI_Register_Handler_Args_V2,
) -> *mut sys::PJRT_Error {
    // SAFETY: the size comes first; the rest is read only if the struct is long enough.
    unsafe {
        let size = (*args).struct_size;
        if size < 60 {
            return too_short("PJRT_FFI_Register_Handler_Args", 60, size);
        }
        if (*args).api_version != 1 {
            return failure(12, "only typed handlers".to_owned());
        }
        ask((*args).handler);
    }
    null_mut()
}

unsafe extern "C" fn register_v3(
    args: *mut sys::PJRT_FFI_Register_Handler_Args,
) -> *mut sys::PJRT_Error {
    // SAFETY: as above.
    unsafe {
        let size = (*args).struct_size;
        if size < 52 {
            return too_short("PJRT_FFI_Register_Handler_Args", 52, size);
        }
        ask((*args).handler);
    }
    null_mut()
}

unsafe extern "C" fn register_on_gpu(
    args: *mut sys::PJRT_Gpu_Register_Custom_Call_Args,
) -> *mut sys::PJRT_Error {
    // SAFETY: as above.
    unsafe {
        let size = (*args).struct_size;
        if size < 64 {
            return too_short("PJRT_Gpu_Register_Custom_Call_Args", 64, size);
        }
        if (*args).api_version != 1 {
            return failure(12, "only typed handlers".to_owned());
        }
        ask((*args).handler_execute);
    }
    null_mut()
}

/// Queries a handler for its metadata. As in real plugins, the details of an error are not
/// reported.
///
/// # Safety
/// `handler` is the address of an FFI handler.
unsafe fn ask(handler: *mut c_void) -> bool {
    // SAFETY: the caller promises the handler; zeros are valid for these structs of integers and
    // pointers, all of which live during the call.
    unsafe {
        let handler: unsafe extern "C" fn(*mut sys::XLA_FFI_CallFrame) -> *mut sys::XLA_FFI_Error =
            std::mem::transmute(handler);
        let mut metadata: sys::XLA_FFI_Metadata = std::mem::zeroed();
        metadata.struct_size = size_of::<sys::XLA_FFI_Metadata>();
        let mut extension = sys::XLA_FFI_Metadata_Extension {
            extension_base: sys::XLA_FFI_Extension_Base {
                struct_size: sys::XLA_FFI_Metadata_Extension_STRUCT_SIZE,
                type_: sys::XLA_FFI_Extension_Metadata,
                next: null_mut(),
            },
            metadata: &mut metadata,
        };
        let mut frame: sys::XLA_FFI_CallFrame = std::mem::zeroed();
        frame.struct_size = sys::XLA_FFI_CallFrame_STRUCT_SIZE;
        frame.extension_start = (&raw mut extension).cast();
        frame.api = api();
        frame.stage = sys::XLA_FFI_ExecutionStage_EXECUTE;
        let error = handler(&mut frame);
        if !error.is_null() {
            drop(CString::from_raw(error.cast::<c_char>()));
            return false;
        }
        // A framework accepts its own version and older ones.
        let version = metadata.api_version;
        (version.major_version, version.minor_version) <= VERSION
    }
}

fn api() -> *const sys::XLA_FFI_Api {
    // SAFETY: zeros are valid: absent functions.
    let mut api: sys::XLA_FFI_Api = unsafe { std::mem::zeroed() };
    api.struct_size = size_of::<sys::XLA_FFI_Api>();
    api.api_version.struct_size = sys::XLA_FFI_Api_Version_STRUCT_SIZE;
    api.api_version.major_version = VERSION.0;
    api.api_version.minor_version = VERSION.1;
    api.XLA_FFI_Error_Create = Some(error_create);
    api.XLA_FFI_Error_GetMessage = Some(error_message);
    api.XLA_FFI_Error_Destroy = Some(error_destroy);
    api.XLA_FFI_Handler_Register = Some(handler_register);
    static API: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *API.get_or_init(|| Box::into_raw(Box::new(api)) as usize) as *const sys::XLA_FFI_Api
}

unsafe extern "C" fn error_create(
    args: *mut sys::XLA_FFI_Error_Create_Args,
) -> *mut sys::XLA_FFI_Error {
    // SAFETY: the message ends with a NUL byte.
    let message = unsafe { std::ffi::CStr::from_ptr((*args).message) };
    message.to_owned().into_raw().cast()
}

unsafe extern "C" fn error_message(args: *mut sys::XLA_FFI_Error_GetMessage_Args) {
    // SAFETY: errors are the strings that were made above.
    unsafe { (*args).message = (*args).error.cast_const().cast() };
}

unsafe extern "C" fn error_destroy(args: *mut sys::XLA_FFI_Error_Destroy_Args) {
    // SAFETY: as above; each is freed once.
    drop(unsafe { CString::from_raw((*args).error.cast::<c_char>()) });
}

unsafe extern "C" fn handler_register(
    args: *mut sys::XLA_FFI_Handler_Register_Args,
) -> *mut sys::XLA_FFI_Error {
    let refuse = |message: &str| CString::new(message).unwrap_or_default().into_raw().cast();
    // SAFETY: the size comes first; a bundle's handlers are addresses of handlers.
    unsafe {
        if (*args).struct_size != sys::XLA_FFI_Handler_Register_Args_STRUCT_SIZE {
            return refuse("not a bundle of four handlers");
        }
        match (*args).bundle.execute {
            Some(execute) if ask(execute as *mut c_void) => {
                HANDLERS.fetch_add(1, Ordering::SeqCst);
                null_mut()
            }
            Some(_) => refuse("the handler's version is newer than the framework's"),
            None => refuse("no handler for the execute stage"),
        }
    }
}
