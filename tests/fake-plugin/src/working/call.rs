//! The entry of every function.

use std::ffi::c_char;

use hloom_pjrt_sys as sys;

use super::failure::Outcome;
use super::fault::Fault;
use super::state::{PluginState, state};

/// The implementation of a function of the plugin, called with the register locked.
pub(crate) type Answer<A> = fn(&mut PluginState, &mut A) -> Outcome;

/// Counts the call, injects a failure if requested, and otherwise runs the implementation.
///
/// # Safety
/// `args` is the struct of the function, whose fields are what the C API asks for.
pub(crate) unsafe fn call<A: sys::Arguments>(
    args: *mut A,
    answer: Answer<A>,
) -> *mut sys::PJRT_Error {
    let function = A::FUNCTION.name;
    // SAFETY: every struct begins with its size.
    let size = unsafe { args.cast::<usize>().read() };
    let mut state = state();
    let expected = A::size_at(state.minor);
    let mut fault = None;
    if state.thread == Some(std::thread::current().id()) {
        let index = state.calls.len();
        state.calls.push(function);
        fault = state.faults.iter().find(|(at, _)| *at == index).map(|(_, fault)| *fault);
    }
    if size != expected {
        state.misused(format!("struct_size is {size}, expected {expected}"));
    }
    let outcome = match fault {
        None => {
            // SAFETY: by the contract of this function.
            answer(&mut state, unsafe { &mut *args })
        }
        Some(Fault::EventsFail) => {
            state.events_fail = Fault::EventsFail.failure(function);
            state.makes_events = false;
            // SAFETY: by the contract of this function.
            let outcome = answer(&mut state, unsafe { &mut *args });
            state.events_fail = None;
            if state.makes_events {
                state.faulted.push(function);
            }
            outcome
        }
        Some(fault) => {
            state.faulted.push(function);
            state.is_view_lost |=
                fault == Fault::NothingMade && function == "PJRT_Client_CreateViewOfDeviceBuffer";
            // The position of the handle that would have been destroyed.
            let word = match function {
                "PJRT_Client_FulfillAliasBuffer" => Some(7),
                _ => function.ends_with("_Destroy").then_some(2),
            };
            if let Some(word) = word {
                // SAFETY: the structs of these functions are that long.
                let handle = unsafe { args.cast::<usize>().add(word).read() };
                state.spare(handle);
            }
            fault.failure(function).map_or(Ok(()), Err)
        }
    };
    let (now, mut work) = (std::mem::take(&mut state.now), std::mem::take(&mut state.work));
    let (garbage, wait) = (std::mem::take(&mut state.garbage), state.wait.take());
    if state.is_holding {
        state.held.extend(std::mem::take(&mut work));
    }
    drop(state);
    // Callbacks run here, and may call the plugin.
    drop(garbage);
    now.into_iter().chain(work).for_each(|job| job());
    let outcome = outcome.and_then(|()| wait.map_or(Ok(()), |happening| happening.wait()));
    match outcome {
        Ok(()) => std::ptr::null_mut(),
        Err(failure) => self::state().insert(failure),
    }
}

/// An array of the C API.
///
/// # Safety
/// `start` points to `len` values, or is null.
pub(crate) unsafe fn slice<'a, T>(start: *const T, len: usize) -> &'a [T] {
    if start.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: by the contract of this function.
    unsafe { std::slice::from_raw_parts(start, len) }
}

/// A text of the C API.
///
/// # Safety
/// As for [`slice`].
pub(crate) unsafe fn text(start: *const c_char, len: usize) -> String {
    // SAFETY: by the contract of this function.
    String::from_utf8_lossy(unsafe { slice(start.cast::<u8>(), len) }).into_owned()
}
