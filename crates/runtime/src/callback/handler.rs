//! The handlers of the custom calls, which look up the function and call it.

use super::{
    CallbackError,
    call_state::CallState,
    host_function::{CallSource, HostFrame, HostFunction, call_in_span},
    record::Record,
    views::ViewMemory,
};
use hloom_graph::HostCall;
use hloom_pjrt::{
    ErrorCode,
    extension::ffi::{CallFrame, Handler, HandlerError, HandlerThread, HostCopies},
};
use std::panic::{AssertUnwindSafe, catch_unwind};

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
            frame.clear_results();
            function.call(call.of(CallSource::Frame(frame), ViewMemory::Host))
        })
    }
}

impl<const REPLAYED: bool> Handler for OnDevice<REPLAYED> {
    const COMMAND_BUFFER_COMPATIBLE: bool = REPLAYED;

    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        dispatch(frame, |function, frame, call| {
            function.call(call.of(CallSource::Frame(frame), ViewMemory::Device))
        })
    }
}

impl Handler for OnCopies {
    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        dispatch(frame, |function, frame, call| {
            let mut arrays = frame.copied_to_host()?;
            function
                .call(call.of(CallSource::Arrays(Some(frame), &mut arrays), ViewMemory::Host))?;
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
    fn of<'f>(self, source: CallSource<'c, 'f>, place: ViewMemory) -> HostFrame<'c, 'f> {
        let Call { record, slot } = self;
        HostFrame { source, record, slot, place }
    }
}

/// Looks up the function of a call and calls it.
fn dispatch<'f>(
    frame: &mut CallFrame<'f>,
    call: impl FnOnce(&dyn HostFunction, &mut CallFrame<'f>, Call<'_>) -> Result<(), CallbackError>,
) -> Result<(), HandlerError> {
    let state = frame.user_data::<CallState>()?;
    let record = &*state.record();
    if let Some(failure) = record.outcome.first() {
        return record.report(failure).map_err(|_| {
            let message = "another callback of the program has failed";
            HandlerError::new(ErrorCode::Cancelled, message)
        });
    }
    let slot = frame.attributes().scalar::<i64>(HostCall::SLOT)?;
    let found = usize::try_from(slot).ok();
    let found = found.and_then(|at| Some((at, state.table().slots.get(at)?)));
    let Some((at, slot)) = found else {
        return Err(HandlerError::invalid(format!("the executable has no callback {slot}")));
    };
    let site = &record.sites.all[at];
    let Some(function) = &slot.function else {
        let message = format!("callback `{}` is not bound", site.name);
        return Err(HandlerError::new(ErrorCode::FailedPrecondition, message));
    };
    let on_behalf = Call { record, slot: at };
    let called = || call(&**function, frame, on_behalf);
    let thread = HandlerThread::current();
    let work = || call_in_span(&**function, record, at, || record.working(site, thread, called));
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => record.report(&record.fail(site, error, false)),
        Err(panic) => record.report(&record.panicked(site, panic)),
    }
}
