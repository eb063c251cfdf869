//! The function table, built for the violations in the file's name.

use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};

use hloom_pjrt_sys as sys;

use crate::Lies;

/// Counters for detecting leaks and double frees.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Errors that have not been freed yet.
    Errors,
    /// Clients that have not been freed yet.
    Clients,
    /// Handlers that were registered.
    Handlers,
}

static ERRORS: AtomicI64 = AtomicI64::new(0);
static CLIENTS: AtomicI64 = AtomicI64::new(0);

/// An error of this plugin.
struct Failure {
    code: i32,
    message: String,
}

struct Plugin {
    lies: Lies,
    /// The table, as words; leaked, because a plugin's table lives as long as the process.
    table: *const sys::PJRT_Api,
}

// SAFETY: the table is never written after it was made.
unsafe impl Send for Plugin {}
// SAFETY: as above.
unsafe impl Sync for Plugin {}

static PLUGIN: OnceLock<Plugin> = OnceLock::new();

/// The number of entries in the table: ten more than the headers know, as in a newer plugin.
const ENTRIES: usize = 148;

/// The entry point of a PJRT plugin.
#[unsafe(no_mangle)]
pub extern "C" fn GetPjrtApi() -> *const sys::PJRT_Api {
    let plugin = PLUGIN.get_or_init(|| {
        let lies = Lies::of_file(&own_path());
        Plugin { table: table(&lies), lies }
    });
    if plugin.lies.no_table { std::ptr::null() } else { plugin.table }
}

/// Reads a counter of this copy.
#[unsafe(no_mangle)]
pub extern "C" fn fake_plugin_count(count: Count) -> i64 {
    match count {
        Count::Errors => ERRORS.load(Ordering::SeqCst),
        Count::Clients => CLIENTS.load(Ordering::SeqCst),
        Count::Handlers => crate::ffi::HANDLERS.load(Ordering::SeqCst),
    }
}

fn own_path() -> std::path::PathBuf {
    // SAFETY: all zeros is a valid Dl_info; dladdr fills it for an address of this library.
    let path = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(GetPjrtApi as *const c_void, &mut info) == 0 || info.dli_fname.is_null() {
            return "unknown".into();
        }
        CStr::from_ptr(info.dli_fname)
    };
    Path::new(OsStr::from_bytes(path.to_bytes())).to_owned()
}

fn table(lies: &Lies) -> *const sys::PJRT_Api {
    let first = sys::functions::FUNCTIONS_OFFSET / 8;
    let words: &'static mut [usize] = Box::leak(vec![0; first + ENTRIES].into_boxed_slice());
    let minor = lies.minor.unwrap_or(i32::from(sys::API_MINOR));
    // A plugin of an older version has only the functions of that version.
    let known =
        sys::functions().filter(|function| i32::from(function.first_minor) <= minor).count();
    let entries = if minor > i32::from(sys::API_MINOR) { ENTRIES } else { known };
    words[0] = lies.table_size.unwrap_or((first + entries) * 8);
    words[1] = extensions(lies) as usize;
    words[2] = lies.version_size.unwrap_or(sys::PJRT_Api_Version_STRUCT_SIZE);
    let major = lies.major.unwrap_or(0);
    words[4] = (major as u32 as usize) | ((minor as u32 as usize) << 32);
    for (index, answer) in answers().into_iter().enumerate().take(entries) {
        words[first + index] = answer as usize;
    }
    words[first] = error_destroy as *const () as usize;
    words[first + 1] = error_message as *const () as usize;
    if let Some(function) =
        sys::functions().find(|function| lies.null.as_deref() == Some(function.name))
    {
        words[function.offset() / 8] = 0;
    }
    words.as_ptr().cast()
}

fn extensions(lies: &Lies) -> *const sys::PJRT_Extension_Base {
    if !lies.circle && !lies.stunted {
        return crate::ffi::extension(lies.ffi);
    }
    let size = if lies.stunted { 8 } else { size_of::<sys::PJRT_Extension_Base>() };
    let type_ = sys::PJRT_Extension_Type_Layouts;
    let base = Box::leak(Box::new(sys::PJRT_Extension_Base {
        struct_size: size,
        type_,
        next: null_mut(),
    }));
    if lies.circle {
        base.next = base;
    }
    base
}

/// The implementation of the function at `INDEX`.
unsafe extern "C" fn answer<const INDEX: usize>(args: *mut c_void) -> *mut sys::PJRT_Error {
    let Some(plugin) = PLUGIN.get() else { return null_mut() };
    let name =
        sys::functions().nth(INDEX).map_or("a function of the future", |function| function.name);
    if let Some((function, code)) = &plugin.lies.fail
        && function == name
    {
        return failure(*code, format!("{name} fails as configured"));
    }
    if plugin.lies.abort.as_deref() == Some(name) {
        std::process::abort();
    }
    while plugin.lies.hang.as_deref() == Some(name) {
        std::thread::park();
    }
    match name {
        // SAFETY: the caller passes the struct of this function.
        "PJRT_Error_GetCode" => unsafe { error_code(&plugin.lies, args.cast()) },
        // SAFETY: as above.
        "PJRT_Client_Create" => unsafe { client_create(&plugin.lies, args.cast()) },
        "PJRT_Client_Destroy" => {
            CLIENTS.fetch_sub(1, Ordering::SeqCst);
            null_mut()
        }
        "PJRT_ExecuteContext_Create" => {
            // SAFETY: as above. The handle is never looked into.
            unsafe {
                (*args.cast::<sys::PJRT_ExecuteContext_Create_Args>()).context =
                    std::ptr::dangling_mut()
            };
            null_mut()
        }
        _ => null_mut(),
    }
}

pub(crate) fn failure(code: i32, message: String) -> *mut sys::PJRT_Error {
    ERRORS.fetch_add(1, Ordering::SeqCst);
    Box::into_raw(Box::new(Failure { code, message })).cast()
}

unsafe extern "C" fn error_destroy(args: *mut sys::PJRT_Error_Destroy_Args) {
    // SAFETY: the caller passes an error of this plugin, once.
    unsafe {
        let error = (*args).error;
        if !error.is_null() {
            ERRORS.fetch_sub(1, Ordering::SeqCst);
            drop(Box::from_raw(error.cast::<Failure>()));
        }
    }
}

unsafe extern "C" fn error_message(args: *mut sys::PJRT_Error_Message_Args) {
    let mute = PLUGIN.get().is_some_and(|plugin| plugin.lies.mute);
    // SAFETY: the caller passes an error of this plugin.
    unsafe {
        let error = &*(*args).error.cast::<Failure>();
        (*args).message = if mute { std::ptr::null() } else { error.message.as_ptr().cast() };
        (*args).message_size = error.message.len();
    }
}

unsafe fn error_code(lies: &Lies, args: *mut sys::PJRT_Error_GetCode_Args) -> *mut sys::PJRT_Error {
    if lies.mute {
        return failure(13, "errors have no code".to_owned());
    }
    // SAFETY: the caller passes an error of this plugin.
    unsafe { (*args).code = (*(*args).error.cast::<Failure>()).code as sys::PJRT_Error_Code };
    null_mut()
}

unsafe fn client_create(
    lies: &Lies,
    args: *mut sys::PJRT_Client_Create_Args,
) -> *mut sys::PJRT_Error {
    if !lies.no_client {
        CLIENTS.fetch_add(1, Ordering::SeqCst);
        // SAFETY: the caller passes the struct of this function. The handle is never looked into.
        unsafe { (*args).client = std::ptr::dangling_mut() };
    }
    null_mut()
}

type Answer = unsafe extern "C" fn(*mut c_void) -> *mut sys::PJRT_Error;

/// One function per entry of the table: an entry must know its own index.
fn answers() -> Vec<Answer> {
    macro_rules! tens {
        ($($ten:literal)*) => {
            vec![$(
                answer::<{ $ten * 10 }>, answer::<{ $ten * 10 + 1 }>,
                answer::<{ $ten * 10 + 2 }>, answer::<{ $ten * 10 + 3 }>,
                answer::<{ $ten * 10 + 4 }>, answer::<{ $ten * 10 + 5 }>,
                answer::<{ $ten * 10 + 6 }>, answer::<{ $ten * 10 + 7 }>,
                answer::<{ $ten * 10 + 8 }>, answer::<{ $ten * 10 + 9 }>,
            )*]
        };
    }
    tens!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14)
}
