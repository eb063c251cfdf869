//! Events.

use std::sync::Arc;

use hloom_pjrt_sys as sys;

use super::call::text;
use super::failure::{Failure, Outcome};
use super::happening::Happening;
use super::state::{PluginState, state};
use super::storage::Lent;

pub(crate) fn create(state: &mut PluginState, args: &mut sys::PJRT_Event_Create_Args) -> Outcome {
    args.event = state.event(&Happening::pending());
    Ok(())
}

pub(crate) fn set(state: &mut PluginState, args: &mut sys::PJRT_Event_Set_Args) -> Outcome {
    let happening = Arc::clone(state.get(args.event)?);
    if happening.outcome().is_some() {
        return Err(Failure::new(9, "the event has happened"));
    }
    // SAFETY: the message is as long as it says.
    let outcome = unsafe { outcome(args.error_code, args.error_message, args.error_message_size) };
    state.now.push(Box::new(move || {
        happening.happen(outcome);
    }));
    Ok(())
}

pub(crate) fn destroy(state: &mut PluginState, args: &mut sys::PJRT_Event_Destroy_Args) -> Outcome {
    state.destroy(args.event)
}

pub(crate) fn is_ready(
    state: &mut PluginState,
    args: &mut sys::PJRT_Event_IsReady_Args,
) -> Outcome {
    args.is_ready = state.get(args.event)?.outcome().is_some();
    Ok(())
}

pub(crate) fn error(state: &mut PluginState, args: &mut sys::PJRT_Event_Error_Args) -> Outcome {
    match state.get(args.event)?.outcome() {
        Some(outcome) => outcome,
        None => Err(state.misused("the event has not happened".to_owned())),
    }
}

pub(crate) fn wait(state: &mut PluginState, args: &mut sys::PJRT_Event_Await_Args) -> Outcome {
    let happening = Arc::clone(state.get(args.event)?);
    state.wait = Some(happening);
    Ok(())
}

pub(crate) fn on_ready(
    state: &mut PluginState,
    args: &mut sys::PJRT_Event_OnReady_Args,
) -> Outcome {
    let happening = Arc::clone(state.get(args.event)?);
    let Some(callback) = args.callback else {
        return Err(state.misused("no callback".to_owned()));
    };
    let argument = Lent(args.user_arg.cast());
    state.now.push(Box::new(move || {
        happening.then(move |outcome| {
            let error = match outcome {
                Ok(()) => std::ptr::null_mut(),
                Err(failure) => self::state().insert(failure.clone()),
            };
            // SAFETY: the caller's function with the caller's argument, called once; it owns the
            // error.
            unsafe { callback(error, argument.start().cast()) };
        });
    }));
    Ok(())
}

/// # Safety
/// The message is as long as it says.
pub(crate) unsafe fn outcome(
    code: sys::PJRT_Error_Code,
    message: *const std::ffi::c_char,
    len: usize,
) -> Outcome {
    match code {
        0 => Ok(()),
        // SAFETY: by the contract of this function.
        code => Err(Failure::new(code as i32, unsafe { text(message, len) })),
    }
}
