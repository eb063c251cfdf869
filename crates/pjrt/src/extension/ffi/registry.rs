//! Registration of handlers and types with a plugin.

use super::handler::{HandlerTraits, Handlers, RawHandler, fill, metadata};
use super::table::{Table, entry, span};
use super::{HandlerError, lookup};
use crate::extension::{Place, call, call_untyped, slot};
use crate::plugin::api::Api;
use crate::{Error, ErrorCode, Plugin, Result, sys};
use std::any::TypeId;
use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError, RwLock};

/// A plugin's registry of handlers. Cheap to copy.
///
/// What is registered stays for the life of the process.
#[derive(Clone, Copy)]
pub struct Ffi {
    plugin: Plugin,
    table: Table,
}

/// The registries in use.
static KNOWN: Mutex<Vec<Ffi>> = Mutex::new(Vec::new());

/// The registered handlers.
static REGISTERED: LazyLock<Mutex<HashSet<Registered>>> = LazyLock::new(Mutex::default);

#[derive(PartialEq, Eq, Hash)]
struct Registered {
    table: Table,
    target: String,
    platform: String,
    /// The addresses of the stages, 0 for none.
    stages: [usize; 4],
    traits: sys::XLA_FFI_Handler_Traits,
}

/// The table that the probe was called with. Written while `KNOWN` is locked.
static CAUGHT: AtomicPtr<sys::XLA_FFI_Api> = AtomicPtr::new(null_mut());

/// The types that were registered: table, type, id.
static TYPES: RwLock<Vec<(Table, TypeId, i64)>> = RwLock::new(Vec::new());

/// Names of platforms, to find one that the plugin knows.
const PLATFORMS: [&str; 4] = ["Host", "CUDA", "ROCM", "SYCL"];

/// The name that the probe is registered under.
const PROBE: &str = "hloom_pjrt.probe";

impl Plugin {
    /// The plugin's registry of handlers.
    ///
    /// # Errors
    /// [`Error::Unsupported`]: the plugin does not support the FFI, or is older than 0.73 and not
    /// for GPUs.
    pub fn ffi(&self) -> Result<Ffi> {
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |known: &[Ffi]| known.iter().find(|ffi| ffi.plugin == *self).copied();
        if let Some(ffi) = find(&known()) {
            return Ok(ffi);
        }
        let _registration = lookup::register(self.api())?;
        let mut known = known();
        if let Some(ffi) = find(&known) {
            return Ok(ffi);
        }
        let table = catch_table(self.api())?;
        let ffi = Ffi { plugin: *self, table };
        known.push(ffi);
        Ok(ffi)
    }
}

impl Plugin {
    /// Registers a handler that was compiled elsewhere, such as in C or CUDA, for programs on a
    /// platform (`Host`, `CUDA`) that call `target` by the typed FFI.
    ///
    /// Registering the same handler under the same name again changes nothing.
    ///
    /// # Errors
    /// The plugin's error, for instance that another handler has the name or that it was built for
    /// a newer FFI; or [`Error::Unsupported`]: the plugin does not support the FFI.
    ///
    /// # Safety
    /// `handler` is a function of the type `XLA_FFI_Handler` of XLA's `xla/ffi/api/c_api.h`, never
    /// unloaded, which does with arguments and results what its programs expect.
    pub unsafe fn register_ffi_target(
        &self,
        target: &str,
        platform: &str,
        handler: NonNull<c_void>,
        traits: HandlerTraits,
    ) -> Result<()> {
        // SAFETY: by the contract of this function.
        unsafe {
            let handlers =
                Handlers::from_raw(RawHandler::from_ptr(handler), traits.command_buffer_compatible);
            self.ffi()?.register_for(target, platform, &handlers)
        }
    }
}

impl Ffi {
    /// Major and minor version of the plugin's XLA FFI.
    pub fn version(&self) -> (i32, i32) {
        self.table.version()
    }

    /// The plugin.
    pub fn plugin(&self) -> Plugin {
        self.plugin
    }

    /// Registers handlers for programs that run on the host.
    ///
    /// Registering the same handlers under the same name again changes nothing. A new registration
    /// waits for the programs that are being compiled or loaded, and these wait for it.
    ///
    /// # Errors
    /// The plugin's error, for instance that other handlers have the name; [`Error::Argument`] in a
    /// handler that the plugin calls while it compiles
    /// ([`StatefulHandler::instantiate`](super::StatefulHandler::instantiate)), and on another
    /// thread when such a handler does not return for 5 seconds: it may wait for this registration.
    pub fn register(&self, target: &str, handlers: &Handlers) -> Result<()> {
        // SAFETY: on the host, arguments and results lie in host memory.
        unsafe { self.register_for(target, "Host", handlers) }
    }

    /// Registers handlers for a platform, such as `CUDA`.
    ///
    /// # Errors
    /// As for [`Ffi::register`]. A platform that the plugin does not know is no error: its handlers
    /// are never called.
    ///
    /// # Safety
    /// On a platform whose memory is not the host's, the handlers use no view of arguments and
    /// results, only their addresses.
    pub unsafe fn register_for(
        &self,
        target: &str,
        platform: &str,
        handlers: &Handlers,
    ) -> Result<()> {
        let registered = Registered {
            table: self.table,
            target: target.to_owned(),
            platform: platform.to_owned(),
            stages: [
                handlers.instantiate,
                handlers.prepare,
                handlers.initialize,
                Some(handlers.execute),
            ]
            .map(|stage| stage.map_or(0, |stage| stage.as_ptr().addr())),
            traits: handlers.traits,
        };
        let known = || REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
        if known().contains(&registered) {
            return Ok(());
        }
        let _registration = lookup::register(self.plugin.api())?;
        // SAFETY: by the contract of this function.
        unsafe { self.register_new(target, platform, handlers) }?;
        known().insert(registered);
        Ok(())
    }

    /// # Safety
    /// As for [`Ffi::register_for`].
    unsafe fn register_new(&self, target: &str, platform: &str, handlers: &Handlers) -> Result<()> {
        let raw = |handler: Option<RawHandler>| -> sys::XLA_FFI_Handler {
            handler.map(|handler| handler.0 as _)
        };
        let mut args = sys::XLA_FFI_Handler_Register_Args {
            // This very size means a bundle of four handlers.
            struct_size: sys::XLA_FFI_Handler_Register_Args_STRUCT_SIZE,
            extension_start: null_mut(),
            name: span(target),
            platform: span(platform),
            bundle: sys::XLA_FFI_Handler_Bundle {
                instantiate: raw(handlers.instantiate),
                prepare: raw(handlers.prepare),
                initialize: raw(handlers.initialize),
                execute: raw(Some(handlers.execute)),
            },
            traits: handlers.traits,
        };
        // SAFETY: names live during the call, handlers for ever.
        match unsafe { self.table.call(entry!(XLA_FFI_Handler_Register), &mut args) } {
            Ok(()) => Ok(()),
            // A table without a registry: the other ways take the execute stage alone.
            Err(error) if error.code == ErrorCode::Unimplemented && !handlers.has_stages() => {
                // SAFETY: by the contract of this function.
                unsafe { register_through_pjrt(self.plugin.api(), target, platform, handlers) }
            }
            Err(error) => Err(self.error("XLA_FFI_Handler_Register", error)),
        }
    }

    /// The id of a type, registered if it is new.
    pub(super) fn type_id<T: Send + Sync + 'static>(&self) -> Result<i64> {
        type_id::<T>(self.table).map_err(|error| self.error("XLA_FFI_Type_Register", error))
    }

    fn error(&self, function: &'static str, error: HandlerError) -> Error {
        let plugin = self.plugin.name().to_owned();
        Error::Call {
            plugin,
            function,
            code: error.code,
            message: error.message,
            payloads: Vec::new(),
        }
    }
}

impl std::fmt::Debug for Ffi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ffi")
            .field("plugin", &self.plugin.name())
            .field("version", &self.version())
            .finish()
    }
}

/// Registers the probe in every way until the plugin asks it for its metadata.
fn catch_table(api: &Api) -> Result<Table> {
    CAUGHT.store(null_mut(), Ordering::Relaxed);
    let handlers = Handlers::from_raw(RawHandler(probe), false);
    let mut outcome = Ok(());
    for platform in PLATFORMS {
        // SAFETY: the probe touches no memory.
        outcome = unsafe { register_through_pjrt(api, PROBE, platform, &handlers) };
        // SAFETY: the plugin passed its table to the probe.
        if let Some(table) = unsafe { Table::new(CAUGHT.load(Ordering::Acquire)) } {
            return Ok(table);
        }
    }
    let (place, _) = slot!(
        PJRT_Extension_Type_FFI,
        PJRT_FFI_Extension,
        register_handler,
        "PJRT_FFI_Register_Handler",
        73
    );
    outcome?;
    Err(api.unsupported(place.name, place.since))
}

/// A handler that only returns its metadata.
unsafe extern "C" fn probe(frame: *mut sys::XLA_FFI_CallFrame) -> *mut sys::XLA_FFI_Error {
    let Some(frame) = NonNull::new(frame) else {
        return null_mut();
    };
    // SAFETY: the plugin calls handlers with valid frames.
    unsafe {
        let raw = (*frame.as_ptr()).api;
        let Some(table) = Table::new(raw) else {
            return null_mut();
        };
        match metadata(frame) {
            Some(metadata) => {
                CAUGHT.store(raw.cast_mut(), Ordering::Release);
                fill(metadata, table, 0, None)
                    .map_or_else(|error| table.make_error(&error), |()| null_mut())
            }
            None => table.make_error(&HandlerError::new(
                ErrorCode::Unimplemented,
                "the probe is not to be called",
            )),
        }
    }
}

/// The registration functions of the PJRT API, which take the execute stage alone.
///
/// # Safety
/// As for [`Ffi::register_for`].
unsafe fn register_through_pjrt(
    api: &Api,
    target: &str,
    platform: &str,
    handlers: &Handlers,
) -> Result<()> {
    let (place, slot) = slot!(
        PJRT_Extension_Type_FFI,
        PJRT_FFI_Extension,
        register_handler,
        "PJRT_FFI_Register_Handler",
        73
    );
    if place.address(api).is_err() {
        // SAFETY: by the contract of this function.
        return unsafe { register_on_gpu(api, target, handlers) };
    }
    let mut args: sys::PJRT_FFI_Register_Handler_Args = api.zeroed();
    args.target_name = target.as_ptr().cast();
    args.target_name_size = target.len();
    args.handler = handlers.execute.as_ptr();
    args.platform_name = platform.as_ptr().cast();
    args.platform_name_size = platform.len();
    args.traits = handlers.traits;
    // SAFETY: names live during the call, the handler for ever.
    let outcome = unsafe { call(api, place, slot, &mut args) };
    // The extension does not report its version. A plugin that expects the longer struct refuses
    // the shorter one by its size; the other way round, a pointer would be misread.
    if api.minor() >= 81
        || !matches!(&outcome, Err(error) if error.code() == ErrorCode::InvalidArgument)
    {
        return outcome;
    }
    let mut old: sys::PJRT_FFI_Register_Handler_Args_V2 = api.zeroed();
    old.target_name = args.target_name;
    old.target_name_size = args.target_name_size;
    old.api_version = 1;
    old.handler = args.handler;
    old.platform_name = args.platform_name;
    old.platform_name_size = args.platform_name_size;
    old.traits = args.traits;
    // SAFETY: as above; this version takes this struct.
    unsafe { call_untyped(api, place, &mut old) }
}

/// # Safety
/// As for [`Ffi::register_for`].
unsafe fn register_on_gpu(api: &Api, target: &str, handlers: &Handlers) -> Result<()> {
    let (place, slot) = slot!(
        PJRT_Extension_Type_Gpu_Custom_Call,
        PJRT_Gpu_Custom_Call,
        custom_call,
        "PJRT_Gpu_Register_Custom_Call",
        41
    );
    let mut args: sys::PJRT_Gpu_Register_Custom_Call_Args = api.zeroed();
    args.function_name = target.as_ptr().cast();
    args.function_name_size = target.len();
    args.api_version = 1;
    args.handler_execute = handlers.execute.as_ptr();
    // SAFETY: the name lives during the call, the handler for ever.
    unsafe { call(api, place, slot, &mut args) }
}

/// The id of a type that was registered.
pub(super) fn known_type_id<T: 'static>(table: Table) -> Option<i64> {
    let types = TYPES.read().unwrap_or_else(PoisonError::into_inner);
    types.iter().find(|(t, ty, _)| *t == table && *ty == TypeId::of::<T>()).map(|(.., id)| *id)
}

/// The id of a type, registered with a deleter that drops a `Box<T>` if it is new.
pub(super) fn type_id<T: Send + Sync + 'static>(
    table: Table,
) -> std::result::Result<i64, HandlerError> {
    if let Some(id) = known_type_id::<T>(table) {
        return Ok(id);
    }
    let mut types = TYPES.write().unwrap_or_else(PoisonError::into_inner);
    if let Some((.., id)) = types.iter().find(|(t, ty, _)| *t == table && *ty == TypeId::of::<T>())
    {
        return Ok(*id);
    }
    // Two types of one name, of two versions of a crate, differ in their `TypeId`.
    let name = format!("{}#{:?}", std::any::type_name::<T>(), TypeId::of::<T>());
    let mut type_id = sys::XLA_FFI_TypeId { type_id: 0 };
    // Kept for ever, since plugins may keep the pointer.
    let info = Box::leak(Box::new(sys::XLA_FFI_TypeInfo {
        struct_size: sys::XLA_FFI_TypeInfo_STRUCT_SIZE,
        extension_start: null_mut(),
        deleter: Some(drop_box::<T>),
    }));
    let mut args = sys::XLA_FFI_Type_Register_Args {
        // The header's own constant leaves out the last field.
        struct_size: size_of::<sys::XLA_FFI_Type_Register_Args>(),
        extension_start: null_mut(),
        name: span(&name),
        type_id: &mut type_id,
        type_info: info,
    };
    // SAFETY: the name lives during the call, the information for ever.
    unsafe { table.call(entry!(XLA_FFI_Type_Register), &mut args) }?;
    types.push((table, TypeId::of::<T>(), type_id.type_id));
    Ok(type_id.type_id)
}

/// Frees a state.
pub(super) unsafe extern "C" fn drop_box<T>(state: *mut c_void) {
    crate::callback::run("a deleter", || {
        // SAFETY: states of this type are boxes that were given away.
        drop(unsafe { Box::from_raw(state.cast::<T>()) });
    });
}

/// Where user data is added to an execute context.
pub(super) fn user_data_place() -> Place {
    slot!(PJRT_Extension_Type_FFI, PJRT_FFI_Extension, user_data_add, "PJRT_FFI_UserData_Add", 53).0
}
