//! The target that programs call: finds the function and calls it.

use super::{
    function::{HostFrame, Source},
    launch::Calls,
    views::Place,
};
use crate::{Error, Platform, Result};
use hloom_graph::{Graph, HostCall};
use hloom_pjrt::{
    ErrorCode, Plugin,
    extension::ffi::{CallFrame, Handler, HandlerError, Handlers},
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError},
};

/// The attribute that holds those of the user.
pub(super) const ATTRIBUTES: &str = "attributes";

/// The target's name, with the version of what it is told.
pub(super) const TARGET: &str = "hloom.callback.v1";

/// The same for calls that can be recorded and replayed.
pub(super) const REPLAYED_TARGET: &str = "hloom.callback.v1.command_buffer";

/// Calls functions on memory of the host or of a device.
pub(super) struct Dispatch<const ON_HOST: bool, const REPLAYED: bool>;

impl<const ON_HOST: bool, const REPLAYED: bool> Handler for Dispatch<ON_HOST, REPLAYED> {
    const COMMAND_BUFFER_COMPATIBLE: bool = REPLAYED;

    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        let record = frame.user_data::<Calls>()?.current()?;
        if record.has_failed() {
            return Err(HandlerError::new(
                ErrorCode::Cancelled,
                "another callback of the program has failed",
            ));
        }
        let slot = frame.attributes().scalar::<i64>(HostCall::SLOT)?;
        let found = usize::try_from(slot)
            .ok()
            .and_then(|at| Some((at, record.table.slots.get(at)?)));
        let Some((at, slot)) = found else {
            return Err(HandlerError::invalid(format!("the executable has no callback {slot}")));
        };
        let Some(function) = &slot.function else {
            let message = format!("callback `{}` is not bound", slot.name);
            return Err(HandlerError::new(ErrorCode::FailedPrecondition, message));
        };
        let place = if ON_HOST { Place::Host } else { Place::Device };
        let call = HostFrame {
            source: Source::Frame(frame),
            record: &record,
            slot: at,
            place,
        };
        match catch_unwind(AssertUnwindSafe(|| function.call(call))) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(record.fail(slot, error, false).for_plugin()),
            Err(panic) => Err(record.panicked(slot, panic).for_plugin()),
        }
    }
}

/// Makes the targets known to the plugin of a platform, once in a process.
///
/// # Errors
/// The plugin runs no code of others.
pub(super) fn register(platform: &Platform) -> hloom_pjrt::Result<()> {
    static KNOWN: Mutex<Vec<Plugin>> = Mutex::new(Vec::new());
    let plugin = platform.client().plugin();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.contains(&plugin) {
        return Ok(());
    }
    let ffi = plugin.ffi()?;
    match platform.name() {
        "cpu" => {
            ffi.register(TARGET, &Handlers::new::<Dispatch<true, false>>())?;
            ffi.register(REPLAYED_TARGET, &Handlers::new::<Dispatch<true, true>>())?;
        }
        name => super::device::register(&ffi, name)?,
    }
    known.push(plugin);
    Ok(())
}

/// The error of a platform that cannot call back.
pub(super) fn refused(graph: &Graph, platform: &Platform, source: hloom_pjrt::Error) -> Error {
    let live = graph.live_host_calls();
    let named = graph.host_calls().iter().zip(live).filter(|(_, live)| *live);
    Error::NoCallbacks {
        platform: platform.name().into(),
        callbacks: named
            .map(|(call, _)| format!("`{}` at {}", call.name, call.location))
            .collect(),
        source: Box::new(source),
    }
}
