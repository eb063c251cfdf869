//! Registration of handlers, for crates that drive plugins.
//!
//! A plugin passes the FFI's function table, a [`Table`], to handlers alone. So
//! [`Table::of_plugin`] makes a probe, which the caller registers through its plugin's own API; the
//! plugin asks the probe for its metadata, and passes its table with the question.
//! [`Table::register`] then registers handlers with all their stages.
//!
//! Older plugins read and write their handlers without a lock: [`Lookup`] and [`Registration`] keep
//! compilations and registrations apart.

pub use crate::lookup::{Lookup, Refused, Registration};
pub use crate::table::Table;

use crate::{
    ErrorCode, HandlerError, Handlers, RawHandler,
    handler::{fill, metadata},
    sys,
    table::{entry, span},
};
use std::{
    ptr::{NonNull, null_mut},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicPtr, Ordering},
    },
};

/// The table that the probe was called with. Written while `PROBING` is locked.
static CAUGHT: AtomicPtr<sys::XLA_FFI_Api> = AtomicPtr::new(null_mut());

static PROBING: Mutex<()> = Mutex::new(());

impl Table {
    /// The table of the plugin with which `register` registers the handlers that it receives, a
    /// probe; `None` if the plugin does not ask the probe for its metadata.
    pub fn of_plugin(register: impl FnOnce(&Handlers)) -> Option<Table> {
        let _probing = PROBING.lock().unwrap_or_else(PoisonError::into_inner);
        CAUGHT.store(null_mut(), Ordering::Relaxed);
        register(&Handlers::from_raw(RawHandler(probe), false));
        // SAFETY: the plugin passed its table to the probe.
        unsafe { Table::new(CAUGHT.load(Ordering::Acquire)) }
    }

    /// Registers handlers for programs on a platform (`Host`, `CUDA`) that call `target`.
    ///
    /// # Errors
    /// The plugin's error, for instance that other handlers have the name;
    /// [`ErrorCode::Unimplemented`] if the table has no registry.
    ///
    /// # Safety
    /// No program is compiled or loaded meanwhile, and nothing else registers handlers: see
    /// [`Registration`]. On a platform whose memory is not the host's, the handlers use no view of
    /// arguments and results, only their addresses.
    pub unsafe fn register(
        self,
        target: &str,
        platform: &str,
        handlers: &Handlers,
    ) -> Result<(), HandlerError> {
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
        // SAFETY: names live during the call, handlers as long as the process.
        unsafe { self.call(entry!(XLA_FFI_Handler_Register), &mut args) }
    }
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
