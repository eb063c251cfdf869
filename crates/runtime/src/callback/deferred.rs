//! Callbacks that complete after they have returned.

use super::{
    CallbackError, CallbackFailure, Inputs, Outputs,
    call_sites::CallSite,
    record::Record,
    structure::{Structure, ViewTree},
    views::ViewMemory,
};
use hloom_pjrt::extension::ffi::{Deferred, HandlerError, HandlerThread};
use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A pending call: its inputs and outputs, and the obligation to complete it, on any thread.
///
/// Where the program needs the outputs, it continues when the call is completed. Dropping it
/// without completing it fails the program. When the callback itself fails meanwhile, its error is
/// the outcome, and the program still waits until the call is completed or dropped, since its
/// memory is in use until then; [`cancelled`](Self::cancelled) then returns true.
///
/// A call that is neither completed nor dropped, for instance after [`std::mem::forget`], blocks
/// the program, and every reader of its results, for ever.
pub struct DeferredCall<I, S> {
    /// `None` only while the call is being completed.
    raw: Option<Deferred>,
    structure: Structure<I, S>,
    record: Record,
    slot: usize,
    place: ViewMemory,
    /// The thread on which the program called the function, and for which it waits.
    thread: HandlerThread,
    progress: Arc<Mutex<Progress>>,
}

/// The state of a call and of the function that received it.
#[derive(Default)]
pub(super) struct Progress {
    function: Function,
    /// The call was dropped without being completed.
    dropped: bool,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Function {
    #[default]
    Running,
    Returned,
    /// The function returned an error or panicked; this is the outcome, however the call ends.
    Failed,
}

impl<I: ViewTree, S: ViewTree> DeferredCall<I, S> {
    pub(super) fn new(
        raw: Deferred,
        structure: Structure<I, S>,
        record: Record,
        slot: usize,
        place: ViewMemory,
    ) -> DeferredCall<I, S> {
        let (thread, progress) = (HandlerThread::current(), Arc::default());
        DeferredCall { raw: Some(raw), structure, record, slot, place, thread, progress }
    }

    pub(super) fn progress(&self) -> Arc<Mutex<Progress>> {
        self.progress.clone()
    }

    /// Passes the inputs and outputs to `work`.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn with<R>(
        &mut self,
        work: impl for<'a> FnOnce(Inputs<'a, I>, Outputs<'a, S>) -> Result<R, CallbackError>,
    ) -> Result<R, CallbackError> {
        let Some(raw) = &mut self.raw else {
            return Err(CallbackError::new("the call was completed"));
        };
        let (inputs, outputs) = raw.arrays()?;
        let (inputs, outputs) =
            self.structure.views(self.place, inputs.into_iter(), outputs.into_iter())?;
        let site = &self.record.sites.all[self.slot];
        self.record.working(site, self.thread, || work(inputs, outputs))
    }

    /// Runs `work` and completes the call with its result. A panic of `work` is caught and fails
    /// the call.
    pub fn run(
        mut self,
        work: impl for<'a> FnOnce(Inputs<'a, I>, Outputs<'a, S>) -> Result<(), CallbackError>,
    ) {
        match catch_unwind(AssertUnwindSafe(|| self.with(work))) {
            Ok(outcome) => self.complete(outcome),
            Err(panic) => self.fail(|record, site| record.panicked(site, panic)),
        }
    }

    /// Completes the call.
    pub fn complete(mut self, outcome: Result<(), CallbackError>) {
        match outcome {
            Ok(()) => self.end(Ok(())),
            Err(error) => self.fail(|record, site| record.fail(site, error, false)),
        }
    }
}

impl<I, S> DeferredCall<I, S> {
    /// Whether the program has failed elsewhere, so that the outputs will not be read.
    pub fn cancelled(&self) -> bool {
        self.record.has_failed()
    }

    /// Ends the call with a failure, which `note` records, unless the function has already failed.
    fn fail(&mut self, note: impl FnOnce(&Record, &CallSite) -> CallbackFailure) {
        let outcome = match lock(&self.progress).function {
            Function::Failed => Ok(()),
            Function::Running | Function::Returned => {
                let failure = note(&self.record, &self.record.sites.all[self.slot]);
                self.record.report(&failure)
            }
        };
        self.end(outcome);
    }

    fn end(&mut self, outcome: Result<(), HandlerError>) {
        if let Some(raw) = self.raw.take() {
            raw.complete(outcome);
        }
    }
}

impl<I, S> Drop for DeferredCall<I, S> {
    fn drop(&mut self) {
        if self.raw.is_none() {
            return;
        }
        let function = {
            let mut progress = lock(&self.progress);
            progress.dropped = true;
            progress.function
        };
        match function {
            // `watch` records the function's result, or that it dropped the call.
            Function::Running | Function::Failed => self.end(Ok(())),
            Function::Returned => self.fail(|record, site| record.fail(site, abandoned(), false)),
        }
    }
}

/// Calls the function that receives a deferred call. It fails if it drops the call without
/// completing it before it returns.
pub(super) fn watch(
    progress: &Mutex<Progress>,
    function: impl FnOnce() -> Result<(), CallbackError>,
) -> Result<(), CallbackError> {
    let outcome = catch_unwind(AssertUnwindSafe(function));
    let mut progress = lock(progress);
    let outcome = if progress.dropped {
        outcome.map(|outcome| outcome.and(Err(abandoned())))
    } else {
        outcome
    };
    progress.function = match outcome {
        Ok(Ok(())) => Function::Returned,
        _ => Function::Failed,
    };
    drop(progress);
    outcome.unwrap_or_else(|panic| resume_unwind(panic))
}

fn lock(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

fn abandoned() -> CallbackError {
    CallbackError::new("the call was dropped before it was completed")
}

impl<I, S> fmt::Debug for DeferredCall<I, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeferredCall")
            .field("callback", &self.record.sites.all[self.slot].name)
            .finish_non_exhaustive()
    }
}
