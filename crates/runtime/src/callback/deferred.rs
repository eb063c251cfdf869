//! Callbacks that complete after they have returned.

use super::{
    CallbackError, Inputs, Outputs,
    function::{Structure, ViewTree},
    record::Record,
    views::Place,
};
use hloom_pjrt::extension::ffi::{Deferred, HandlerError};
use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
};

/// A call that is going on: its inputs and outputs, and the duty to complete it, on any thread.
///
/// The program goes on, where it needs the outputs, when the call is completed. Dropping it without completing it fails the
/// program.
pub struct DeferredCall<I, S> {
    /// `None` only while the call is being completed.
    raw: Option<Deferred>,
    structure: Structure<I, S>,
    record: Record,
    slot: usize,
    place: Place,
    progress: Arc<Mutex<Progress>>,
}

/// What became of a call and of the function that was to do it.
#[derive(Default)]
pub(super) struct Progress {
    /// The function has returned.
    returned: bool,
    /// The call was dropped without being completed.
    dropped: bool,
}

impl<I: ViewTree, S: ViewTree> DeferredCall<I, S> {
    pub(super) fn new(
        raw: Deferred,
        structure: Structure<I, S>,
        record: Record,
        slot: usize,
        place: Place,
    ) -> DeferredCall<I, S> {
        DeferredCall {
            raw: Some(raw),
            structure,
            record,
            slot,
            place,
            progress: Arc::default(),
        }
    }

    pub(super) fn progress(&self) -> Arc<Mutex<Progress>> {
        self.progress.clone()
    }

    /// Shows `work` the inputs and outputs, for as long as it runs.
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
        let (inputs, outputs) = self
            .structure
            .views(self.place, inputs.into_iter(), outputs.into_iter())?;
        work(inputs, outputs)
    }

    /// Does the work and completes the call with its outcome. A panic of `work` ends here, as a failure of the call.
    pub fn run(mut self, work: impl for<'a> FnOnce(Inputs<'a, I>, Outputs<'a, S>) -> Result<(), CallbackError>) {
        match catch_unwind(AssertUnwindSafe(|| self.with(work))) {
            Ok(outcome) => self.complete(outcome),
            Err(panic) => {
                let failure = self.record.panicked(&self.record.table.slots[self.slot], panic);
                self.end(self.record.told(&failure));
            }
        }
    }

    /// Completes the call.
    pub fn complete(mut self, outcome: Result<(), CallbackError>) {
        let record = self.record.clone();
        let slot = &record.table.slots[self.slot];
        self.end(outcome.or_else(|error| record.told(&record.fail(slot, error, false))));
    }
}

impl<I, S> DeferredCall<I, S> {
    /// Whether the program has failed elsewhere, so that nobody will see the outputs.
    pub fn cancelled(&self) -> bool {
        self.record.has_failed()
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
        let returned = {
            let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
            progress.dropped = true;
            progress.returned
        };
        if returned {
            let failure = self
                .record
                .fail(&self.record.table.slots[self.slot], abandoned(), false);
            self.end(self.record.told(&failure));
        } else if self.record.table.devices > 1 {
            // While the function runs it may still say what went wrong; the plugin is told nothing, as in `Record::told`.
            self.end(Ok(()));
        }
    }
}

/// What the function gave, or that it dropped the call.
pub(super) fn returned(progress: &Mutex<Progress>, outcome: Result<(), CallbackError>) -> Result<(), CallbackError> {
    let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
    progress.returned = true;
    match progress.dropped {
        true => outcome.and(Err(abandoned())),
        false => outcome,
    }
}

fn abandoned() -> CallbackError {
    CallbackError::new("the call was dropped before it was completed")
}

impl<I, S> fmt::Debug for DeferredCall<I, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeferredCall")
            .field("callback", &self.record.table.slots[self.slot].name)
            .finish_non_exhaustive()
    }
}
