//! Handlers: Rust types whose code a program calls.

use crate::{
    CallFrame, ErrorCode, HandlerError, callback, float_environment::DefaultRules,
    lookup::Instantiation, sys, table::Table,
};
use std::{
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr::{NonNull, null_mut},
};

/// Code that a program calls.
///
/// A handler is a function, not a value: its data comes with the call, as attributes or as [user
/// data](CallFrame::user_data). It may be called on several threads at once.
pub trait Handler: 'static {
    /// Whether a call always launches the same device operations, so that these can be recorded
    /// once and replayed (CUDA graphs): no waiting for the device, no reading of changing state.
    const COMMAND_BUFFER_COMPATIBLE: bool = false;

    /// Runs the call.
    ///
    /// # Errors
    /// The reason why it failed; it becomes the error of the execution.
    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError>;
}

/// The address of a handler.
#[derive(Clone, Copy)]
pub struct RawHandler(
    pub(crate) unsafe extern "C" fn(*mut sys::XLA_FFI_CallFrame) -> *mut sys::XLA_FFI_Error,
);

impl RawHandler {
    /// The handler of a type.
    pub fn new<H: Handler>() -> Self {
        Self(entry_point::<H>)
    }

    /// A handler that was compiled elsewhere: a C function of type `XLA_FFI_Handler`.
    ///
    /// # Safety
    /// `address` is such a function, never unloaded.
    pub unsafe fn from_ptr(address: NonNull<c_void>) -> Self {
        // SAFETY: by the contract of this function.
        Self(unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn(_) -> _>(address.as_ptr())
        })
    }

    /// The address.
    pub fn as_ptr(self) -> *mut c_void {
        self.0 as *mut c_void
    }
}

impl std::fmt::Debug for RawHandler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RawHandler({:p})", self.as_ptr())
    }
}

/// Properties of a handler that a plugin may rely on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HandlerTraits {
    /// As for [`Handler::COMMAND_BUFFER_COMPATIBLE`].
    pub command_buffer_compatible: bool,
}

/// The handlers of a custom call, one for each stage; only that of the execute stage is required.
#[derive(Clone, Copy, Debug)]
pub struct Handlers {
    pub(crate) instantiate: Option<RawHandler>,
    pub(crate) prepare: Option<RawHandler>,
    pub(crate) initialize: Option<RawHandler>,
    pub(crate) execute: RawHandler,
    pub(crate) traits: sys::XLA_FFI_Handler_Traits,
}

impl Handlers {
    /// A handler for the execute stage alone.
    pub fn new<H: Handler>() -> Self {
        Self::from_raw(RawHandler::new::<H>(), H::COMMAND_BUFFER_COMPATIBLE)
    }

    /// A handler for the execute stage alone, by address.
    pub fn from_raw(execute: RawHandler, command_buffer_compatible: bool) -> Self {
        let traits = if command_buffer_compatible {
            sys::XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE as sys::XLA_FFI_Handler_Traits
        } else {
            0
        };
        Self { instantiate: None, prepare: None, initialize: None, execute, traits }
    }

    /// With a handler for the instantiate stage.
    pub fn instantiate(self, handler: RawHandler) -> Self {
        Self { instantiate: Some(handler), ..self }
    }

    /// With a handler for the prepare stage.
    pub fn prepare(self, handler: RawHandler) -> Self {
        Self { prepare: Some(handler), ..self }
    }

    /// With a handler for the initialize stage.
    pub fn initialize(self, handler: RawHandler) -> Self {
        Self { initialize: Some(handler), ..self }
    }

    /// The handlers of the stages instantiate, prepare, initialize and execute.
    pub fn stages(&self) -> [Option<RawHandler>; 4] {
        [self.instantiate, self.prepare, self.initialize, Some(self.execute)]
    }

    /// The properties that a plugin may rely on, as the C API has them.
    pub fn raw_traits(&self) -> sys::XLA_FFI_Handler_Traits {
        self.traits
    }
}

unsafe extern "C" fn entry_point<H: Handler>(
    frame: *mut sys::XLA_FFI_CallFrame,
) -> *mut sys::XLA_FFI_Error {
    let traits = Handlers::new::<H>().traits;
    // SAFETY: the plugin calls handlers with valid frames.
    unsafe { enter(frame, traits, None, std::any::type_name::<H>(), H::call) }
}

/// Returns a handler's metadata where the plugin asks for it, else runs the handler.
///
/// # Safety
/// `frame` is a valid call frame.
pub(crate) unsafe fn enter(
    frame: *mut sys::XLA_FFI_CallFrame,
    traits: sys::XLA_FFI_Handler_Traits,
    state_type: Option<fn(Table) -> Result<i64, HandlerError>>,
    name: &'static str,
    call: impl FnOnce(&mut CallFrame<'_>) -> Result<(), HandlerError>,
) -> *mut sys::XLA_FFI_Error {
    let Some(frame) = NonNull::new(frame) else {
        return null_mut();
    };
    // SAFETY: the plugin's frame has its table.
    let Some(table) = (unsafe { Table::new((*frame.as_ptr()).api) }) else {
        return null_mut();
    };
    let run = || {
        // SAFETY: by the contract of this function.
        if let Some(metadata) = unsafe { metadata(frame) } {
            // SAFETY: the plugin passes a metadata struct to be filled.
            return unsafe { fill(metadata, table, traits, state_type) };
        }
        let _rules = DefaultRules::set();
        // SAFETY: as above.
        let stage = unsafe { (*frame.as_ptr()).stage };
        let _instantiation =
            (stage == sys::XLA_FFI_ExecutionStage_INSTANTIATE).then(Instantiation::begin);
        let replayed = sys::XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE;
        let is_replayed = traits & replayed as sys::XLA_FFI_Handler_Traits != 0;
        // SAFETY: the frame lives until this function returns.
        let mut frame = unsafe { CallFrame::new(frame, table, is_replayed) };
        let outcome = catch_unwind(AssertUnwindSafe(|| call(&mut frame))).unwrap_or_else(|panic| {
            let message = format!("{name} panicked: {}", panic_message(&*panic));
            // Dropping the panic's payload could panic again.
            std::mem::forget(panic);
            Err(HandlerError::new(ErrorCode::Internal, message))
        });
        match frame.deferred.take() {
            None => outcome,
            Some(shared) => {
                frame.hand_over(shared.future.as_ptr());
                shared.returned(outcome);
                Ok(())
            }
        }
    };
    // Runs as a callback: the last handle of a client must not be dropped on a client's thread.
    let outcome = callback::run("an FFI handler", run);
    let outcome = outcome
        .unwrap_or_else(|| Err(HandlerError::new(ErrorCode::Internal, format!("{name} panicked"))));
    match outcome {
        Ok(()) => null_mut(),
        Err(error) => table.make_error(&error),
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no message)")
}

/// The struct to be filled, if this call asks for the handler's metadata.
///
/// # Safety
/// `frame` is a valid call frame.
pub(crate) unsafe fn metadata(
    frame: NonNull<sys::XLA_FFI_CallFrame>,
) -> Option<NonNull<sys::XLA_FFI_Metadata>> {
    // SAFETY: the list of extensions is valid during the call.
    unsafe {
        let mut extension = (*frame.as_ptr()).extension_start;
        while let Some(base) = extension.as_ref() {
            if base.type_ == sys::XLA_FFI_Extension_Metadata {
                return NonNull::new(
                    (*extension.cast::<sys::XLA_FFI_Metadata_Extension>()).metadata,
                );
            }
            extension = base.next;
        }
    }
    None
}

/// # Safety
/// `metadata` is a struct of the plugin's that is to be filled.
pub(crate) unsafe fn fill(
    metadata: NonNull<sys::XLA_FFI_Metadata>,
    table: Table,
    traits: sys::XLA_FFI_Handler_Traits,
    state_type: Option<fn(Table) -> Result<i64, HandlerError>>,
) -> Result<(), HandlerError> {
    // A framework accepts versions up to its own only.
    let ours = (sys::XLA_FFI_API_MAJOR as i32, sys::XLA_FFI_API_MINOR as i32);
    let (major, minor) = table.version().min(ours);
    let metadata = metadata.as_ptr();
    // SAFETY: the fields are within the struct of every version that is asked for them.
    unsafe {
        (&raw mut (*metadata).api_version.major_version).write(major);
        (&raw mut (*metadata).api_version.minor_version).write(minor);
        (&raw mut (*metadata).traits).write(traits);
        if let Some(state_type) = state_type
            && table.is_since(2)
        {
            let type_id = state_type(table)?;
            (&raw mut (*metadata).state_type_id).write(sys::XLA_FFI_TypeId { type_id });
        }
    }
    Ok(())
}
