//! Registration of handlers and types with a plugin.

use crate::{
    Error, ErrorCode, Plugin, Result,
    extension::{call, call_untyped, slot},
    plugin::api::Api,
    sys,
};
use hloom_ffi::{HandlerError, HandlerTraits, Handlers, RawHandler, registry::Table};
use std::{
    collections::HashSet,
    ffi::c_void,
    ptr::{NonNull, null_mut},
    sync::{LazyLock, Mutex, PoisonError},
};

/// A plugin's registry of handlers. Cheap to copy.
///
/// Registrations last for the life of the process.
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
        let _registration = self.api().begin_registration()?;
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
    /// As for [`Ffi::register`]. A platform that the plugin does not know is not an error: its
    /// handlers are never called.
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
            stages: handlers.stages().map(|stage| stage.map_or(0, |stage| stage.as_ptr().addr())),
            traits: handlers.raw_traits(),
        };
        let known = || REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
        if known().contains(&registered) {
            return Ok(());
        }
        let _registration = self.plugin.api().begin_registration()?;
        // SAFETY: by the contract of this function.
        unsafe { self.register_new(target, platform, handlers) }?;
        known().insert(registered);
        Ok(())
    }

    /// # Safety
    /// As for [`Ffi::register_for`].
    unsafe fn register_new(&self, target: &str, platform: &str, handlers: &Handlers) -> Result<()> {
        // SAFETY: by the contract of this function; the caller holds a registration.
        match unsafe { self.table.register(target, platform, handlers) } {
            Ok(()) => Ok(()),
            // A table without a registry: the other ways take the execute stage alone.
            Err(error) if error.code == ErrorCode::Unimplemented && is_plain(handlers) => {
                // SAFETY: by the contract of this function.
                unsafe { register_through_pjrt(self.plugin.api(), target, platform, handlers) }
            }
            Err(error) => Err(self.error("XLA_FFI_Handler_Register", error)),
        }
    }

    /// The id of a type, registered if it is new.
    pub(super) fn type_id<T: Send + Sync + 'static>(&self) -> Result<i64> {
        self.table.type_id::<T>().map_err(|error| self.error("XLA_FFI_Type_Register", error))
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
    let mut outcome = Ok(());
    for platform in PLATFORMS {
        let table = Table::of_plugin(|probe| {
            // SAFETY: the probe touches no memory.
            outcome = unsafe { register_through_pjrt(api, PROBE, platform, probe) };
        });
        if let Some(table) = table {
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

/// The address of the handler of the execute stage, null for none.
fn execute(handlers: &Handlers) -> *mut c_void {
    let [.., execute] = handlers.stages();
    execute.map_or(null_mut(), RawHandler::as_ptr)
}

/// Whether there is no handler for another stage than execute.
fn is_plain(handlers: &Handlers) -> bool {
    matches!(handlers.stages(), [None, None, None, _])
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
    args.handler = execute(handlers);
    args.platform_name = platform.as_ptr().cast();
    args.platform_name_size = platform.len();
    args.traits = handlers.raw_traits();
    // SAFETY: names live during the call, the handler as long as the process.
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
    args.handler_execute = execute(handlers);
    // SAFETY: the name lives during the call, the handler as long as the process.
    unsafe { call(api, place, slot, &mut args) }
}
