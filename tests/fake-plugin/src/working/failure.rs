//! Errors: their objects and the functions that read them.

use hloom_pjrt_sys as sys;

use super::state::state;

/// An error of this plugin.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) code: i32,
    /// `None` is a null pointer.
    pub(crate) message: Option<Vec<u8>>,
}

pub(crate) type Outcome = Result<(), Failure>;

impl Failure {
    pub(crate) fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: Some(message.into().into_bytes()) }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(3, message)
    }
}

pub(crate) unsafe extern "C" fn error_destroy(args: *mut sys::PJRT_Error_Destroy_Args) {
    // SAFETY: the caller passes the struct of this function.
    let error = unsafe { (*args).error };
    if !error.is_null() {
        // The register reports an error that is destroyed twice.
        let _ = state().destroy(error);
    }
}

pub(crate) unsafe extern "C" fn error_message(args: *mut sys::PJRT_Error_Message_Args) {
    // SAFETY: the caller passes the struct of this function.
    let args = unsafe { &mut *args };
    if let Ok(error) = state().get(args.error) {
        // A missing text may still have a length.
        args.message_size = error.message.as_ref().map_or(7, Vec::len);
        args.message =
            error.message.as_ref().map_or(std::ptr::null(), |message| message.as_ptr().cast());
    }
}

pub(crate) unsafe extern "C" fn error_code(
    args: *mut sys::PJRT_Error_GetCode_Args,
) -> *mut sys::PJRT_Error {
    // SAFETY: the caller passes the struct of this function.
    let args = unsafe { &mut *args };
    if let Ok(error) = state().get(args.error) {
        args.code = error.code as sys::PJRT_Error_Code;
    }
    std::ptr::null_mut()
}
