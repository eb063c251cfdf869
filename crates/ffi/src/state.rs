//! Handlers with a state that is made once for each executable and used in every call.

use crate::{
    CallFrame, ErrorCode, HandlerError, Handlers, RawHandler,
    handler::enter,
    sys,
    table::{Table, TableEntry, entry},
    types::drop_box,
};
use std::ptr::null_mut;

/// A handler with a state for each executable, made when that is compiled or loaded.
///
/// Executions that run at the same time share the state.
pub trait StatefulHandler: 'static {
    /// The state; the executable drops it.
    type State: Send + Sync + 'static;

    /// As for [`Handler`](crate::Handler::COMMAND_BUFFER_COMPATIBLE).
    const COMMAND_BUFFER_COMPATIBLE: bool = false;

    /// Makes the state from the attributes; there are neither arguments nor results yet.
    ///
    /// # Errors
    /// The reason why it failed; the executable then cannot be made.
    fn instantiate(frame: &mut CallFrame<'_>) -> Result<Self::State, HandlerError>;

    /// Runs the call.
    ///
    /// # Errors
    /// The reason why it failed; it becomes the error of the execution.
    fn call(frame: &mut CallFrame<'_>, state: &Self::State) -> Result<(), HandlerError>;
}

impl Handlers {
    /// The handlers of a type with state.
    pub fn stateful<H: StatefulHandler>() -> Self {
        Self::from_raw(RawHandler(execute::<H>), H::COMMAND_BUFFER_COMPATIBLE)
            .instantiate(RawHandler(instantiate::<H>))
    }
}

unsafe extern "C" fn instantiate<H: StatefulHandler>(
    frame: *mut sys::XLA_FFI_CallFrame,
) -> *mut sys::XLA_FFI_Error {
    // SAFETY: the plugin calls handlers with valid frames.
    unsafe {
        enter(frame, 0, Some(Table::type_id::<H::State>), std::any::type_name::<H>(), |frame| {
            let state = Box::new(H::instantiate(frame)?);
            set(frame, state)
        })
    }
}

unsafe extern "C" fn execute<H: StatefulHandler>(
    frame: *mut sys::XLA_FFI_CallFrame,
) -> *mut sys::XLA_FFI_Error {
    let traits = Handlers::stateful::<H>().traits;
    // SAFETY: the plugin calls handlers with valid frames.
    unsafe {
        enter(
            frame,
            traits,
            Some(Table::type_id::<H::State>),
            std::any::type_name::<H>(),
            |frame| {
                let state: *const H::State = get(frame)?;
                // The executable keeps the state while it executes.
                H::call(frame, &*state)
            },
        )
    }
}

fn set<T: Send + Sync + 'static>(frame: &CallFrame<'_>, state: Box<T>) -> Result<(), HandlerError> {
    let table = frame.table();
    let mut type_id = sys::XLA_FFI_TypeId { type_id: table.type_id::<T>()? };
    let state = Box::into_raw(state).cast();
    // SAFETY: the context is the call's. The type's deleter frees the state; older plugins take
    // the deleter with it.
    let result = unsafe {
        if table.is_since(3) {
            let mut args = sys::XLA_FFI_State_Set_Args {
                struct_size: sys::XLA_FFI_State_Set_Args_STRUCT_SIZE,
                extension_start: null_mut(),
                ctx: frame.context(),
                stage: sys::XLA_FFI_ExecutionStage_INSTANTIATE,
                type_id: &mut type_id,
                state,
            };
            table.call(entry!(XLA_FFI_State_Set), &mut args)
        } else {
            let mut args = sys::XLA_FFI_State_Args_V2 {
                struct_size: size_of::<sys::XLA_FFI_State_Args_V2>(),
                extension_start: null_mut(),
                ctx: frame.context(),
                type_id: &mut type_id,
                state,
                deleter: Some(drop_box::<T>),
            };
            table.call(old_entry(entry!(XLA_FFI_State_Set)), &mut args)
        }
    };
    result.inspect_err(|_| {
        // SAFETY: a state that was refused is still ours.
        drop(unsafe { Box::from_raw(state.cast::<T>()) });
    })
}

fn get<T: Send + Sync + 'static>(frame: &CallFrame<'_>) -> Result<*const T, HandlerError> {
    let table = frame.table();
    let mut type_id = sys::XLA_FFI_TypeId { type_id: table.type_id::<T>()? };
    let type_id = &raw mut type_id;
    // SAFETY: the context is the call's.
    let state = unsafe {
        if table.is_since(3) {
            let mut args = sys::XLA_FFI_State_Get_Args {
                struct_size: sys::XLA_FFI_State_Get_Args_STRUCT_SIZE,
                extension_start: null_mut(),
                ctx: frame.context(),
                stage: sys::XLA_FFI_ExecutionStage_INSTANTIATE,
                type_id,
                state: null_mut(),
            };
            table.call(entry!(XLA_FFI_State_Get), &mut args)?;
            args.state
        } else {
            let mut args = sys::XLA_FFI_State_Args_V2 {
                struct_size: std::mem::offset_of!(sys::XLA_FFI_State_Args_V2, deleter),
                extension_start: null_mut(),
                ctx: frame.context(),
                type_id,
                state: null_mut(),
                deleter: None,
            };
            table.call(old_entry(entry!(XLA_FFI_State_Get)), &mut args)?;
            args.state
        }
    };
    if state.is_null() {
        Err(HandlerError::new(ErrorCode::Internal, "the executable has no state"))
    } else {
        Ok(state.cast_const().cast())
    }
}

/// The same entry, which took another struct in older versions.
fn old_entry<A>(entry: TableEntry<A>) -> TableEntry<sys::XLA_FFI_State_Args_V2> {
    TableEntry { offset: entry.offset, name: entry.name, slot: |_| None }
}
