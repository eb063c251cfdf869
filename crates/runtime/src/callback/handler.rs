//! The custom call targets: their handlers look up the function and call it.

use super::{
    CallbackError,
    function::{HostFrame, HostFunction, Source},
    launch::Calls,
    record::Record,
    views::Place,
};
use crate::{Error, Platform, Result};
use hloom_graph::{Graph, HostCall};
use hloom_pjrt::{
    ErrorCode, Plugin,
    extension::ffi::{CallFrame, Handler, HandlerError, Handlers, HostCopies},
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError},
};

/// The attribute that holds the user's attributes.
pub(super) const ATTRIBUTES: &str = "attributes";

/// The target's name, with the version of its attributes.
pub(super) const TARGET: &str = "hloom.callback.v1";

/// The target for calls that can be recorded and replayed.
pub(super) const REPLAYED_TARGET: &str = "hloom.callback.v1.command_buffer";

/// The target for calls on host copies.
pub(super) const HOST_TARGET: &str = "hloom.callback.v1.on_host";

/// Calls functions on host memory.
pub(super) struct OnHost<const REPLAYED: bool>;

/// Calls functions on device memory.
pub(super) struct OnDevice<const REPLAYED: bool>;

/// Calls functions on host copies of device memory.
pub(super) struct OnCopies;

impl<const REPLAYED: bool> Handler for OnHost<REPLAYED> {
    const COMMAND_BUFFER_COMPATIBLE: bool = REPLAYED;

    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        dispatch(frame, |function, frame, call| {
            function.call(call.of(Source::Frame(frame), Place::Host))
        })
    }
}

impl<const REPLAYED: bool> Handler for OnDevice<REPLAYED> {
    const COMMAND_BUFFER_COMPATIBLE: bool = REPLAYED;

    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        dispatch(frame, |function, frame, call| {
            function.call(call.of(Source::Frame(frame), Place::Device))
        })
    }
}

impl Handler for OnCopies {
    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        dispatch(frame, |function, frame, call| {
            let mut arrays = frame.copied_to_host()?;
            function.call(call.of(Source::Arrays(Some(frame), &mut arrays), Place::Host))?;
            Ok(frame.copy_results(&arrays)?)
        })
    }
}

/// The function to call, and the record of the call.
struct Call<'c> {
    record: &'c Record,
    slot: usize,
}

impl<'c> Call<'c> {
    fn of<'f>(self, source: Source<'c, 'f>, place: Place) -> HostFrame<'c, 'f> {
        let Call { record, slot } = self;
        HostFrame { source, record, slot, place }
    }
}

/// Looks up the function of a call and calls it.
fn dispatch<'f>(
    frame: &mut CallFrame<'f>,
    call: impl FnOnce(&dyn HostFunction, &mut CallFrame<'f>, Call<'_>) -> Result<(), CallbackError>,
) -> Result<(), HandlerError> {
    let record = &*frame.user_data::<Calls>()?.current();
    if let Some(failure) = record.outcome.first() {
        return record.told(failure).map_err(|_| {
            let message = "another callback of the program has failed";
            HandlerError::new(ErrorCode::Cancelled, message)
        });
    }
    let slot = frame.attributes().scalar::<i64>(HostCall::SLOT)?;
    let found = usize::try_from(slot).ok().and_then(|at| Some((at, record.table.slots.get(at)?)));
    let Some((at, slot)) = found else {
        return Err(HandlerError::invalid(format!("the executable has no callback {slot}")));
    };
    let Some(function) = &slot.function else {
        let message = format!("callback `{}` is not bound", slot.name);
        return Err(HandlerError::new(ErrorCode::FailedPrecondition, message));
    };
    let on_behalf = Call { record, slot: at };
    let work = || record.working(slot, || call(&**function, frame, on_behalf));
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => record.told(&record.fail(slot, error, false)),
        Err(panic) => record.told(&record.panicked(slot, panic)),
    }
}

/// Registers the targets of callbacks with a plugin, for a platform such as `cuda`.
/// [`Platform::compile`] does so by itself; programs that are compiled ahead of time, without a
/// platform, need it.
///
/// # Errors
/// The plugin does not run custom call handlers.
pub fn register_callback_targets(plugin: Plugin, platform: &str) -> Result<()> {
    register(plugin, platform)
        .map_err(Error::plugin(format!("registering callbacks for `{platform}`")))
}

/// As [`register_callback_targets`], once per process.
pub(super) fn register(plugin: Plugin, platform: &str) -> hloom_pjrt::Result<()> {
    static KNOWN: Mutex<Vec<Plugin>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.contains(&plugin) {
        return Ok(());
    }
    // Registration alone proves nothing: the TPU accepts handlers, and calls none.
    if !["cpu", "cuda", "rocm", "sycl"].contains(&platform) {
        let message = format!("programs on `{platform}` call no handlers of the XLA FFI");
        return Err(hloom_pjrt::Error::Argument(message));
    }
    let ffi = plugin.ffi()?;
    match platform {
        "cpu" => {
            ffi.register(TARGET, &Handlers::new::<OnHost<false>>())?;
            ffi.register(REPLAYED_TARGET, &Handlers::new::<OnHost<true>>())?;
            ffi.register(HOST_TARGET, &Handlers::new::<OnHost<false>>())?;
        }
        name => super::device::register(&ffi, name)?,
    }
    known.push(plugin);
    Ok(())
}

/// The error of a platform that cannot call callbacks.
pub(super) fn refused(graph: &Graph, platform: &Platform, source: hloom_pjrt::Error) -> Error {
    let live = graph.live_host_calls();
    let named = graph.host_calls().iter().zip(live).filter(|(_, live)| *live);
    Error::NoCallbacks {
        platform: platform.name().into(),
        callbacks: named.map(|(call, _)| format!("`{}` at {}", call.name, call.location)).collect(),
        source: Box::new(source),
    }
}
