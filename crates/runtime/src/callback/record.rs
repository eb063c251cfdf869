//! What one call of a program with callbacks carries.

use super::{
    CallbackError, CallbackFailure,
    table::{Slot, Table},
};
use hloom_pjrt::{
    ErrorCode,
    extension::ffi::{HandlerError, within_launch},
};
use std::{
    any::Any,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

/// One call of a program: the functions that it calls, and what went wrong in them.
#[derive(Clone)]
pub(crate) struct Record {
    pub table: Arc<Table>,
    /// Tells the calls of a process apart.
    pub run_id: u64,
    pub outcome: Arc<Outcome>,
}

/// What went wrong in the callbacks of one call. The results keep it, and not the functions: those go with the executable.
#[derive(Default)]
pub(crate) struct Outcome {
    first: OnceLock<CallbackFailure>,
    failures: AtomicUsize,
}

static NEXT_RUN: AtomicU64 = AtomicU64::new(1);

impl Record {
    pub fn new(table: Arc<Table>) -> Record {
        Record {
            table,
            run_id: NEXT_RUN.fetch_add(1, Ordering::Relaxed),
            outcome: Arc::default(),
        }
    }

    /// Makes it that of the next call, when nothing of the last one is under way.
    pub fn renew(&mut self) {
        self.run_id = NEXT_RUN.fetch_add(1, Ordering::Relaxed);
        // The results of a call may still have what went wrong in it to tell.
        if self.has_failed() || Arc::get_mut(&mut self.outcome).is_none() {
            self.outcome = Arc::default();
        }
    }

    /// Whether a callback of this call has failed, so that nobody will see its results.
    pub fn has_failed(&self) -> bool {
        self.outcome.first().is_some()
    }

    /// Notes that a callback failed; gives what the plugin is told.
    pub fn fail(&self, slot: &Slot, error: CallbackError, panicked: bool) -> CallbackFailure {
        let failure = CallbackFailure {
            executable: self.table.executable.clone(),
            callback: slot.name.clone(),
            location: slot.location,
            code: error.code(),
            message: error.message().into(),
            panicked,
            others: 0,
        };
        self.outcome.failures.fetch_add(1, Ordering::AcqRel);
        let _ = self.outcome.first.set(failure.clone());
        failure
    }

    /// Runs code of a callback. Where other devices wait for it, this thread must not launch what waits for them.
    pub fn working<R>(&self, slot: &Slot, work: impl FnOnce() -> R) -> R {
        match self.table.devices {
            1 => work(),
            _ => within_launch(&slot.title, work),
        }
    }

    /// What the plugin is told of a failure: nothing when other devices may wait for what this one is to send them.
    pub fn told(&self, failure: &CallbackFailure) -> Result<(), HandlerError> {
        match self.table.devices {
            1 => Err(failure.for_plugin()),
            _ => Ok(()),
        }
    }

    /// Notes that a callback panicked.
    pub fn panicked(&self, slot: &Slot, panic: Box<dyn Any + Send>) -> CallbackFailure {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let error = CallbackError::with_code(ErrorCode::Internal, text.unwrap_or("(no message)"));
        // Dropping the panic's own value could panic again.
        std::mem::forget(panic);
        self.fail(slot, error, true)
    }
}

impl Outcome {
    /// The first failure.
    pub fn first(&self) -> Option<&CallbackFailure> {
        self.first.get()
    }

    /// The first failure, with the number of the others.
    pub fn failure(&self) -> Option<CallbackFailure> {
        let mut failure = self.first.get()?.clone();
        failure.others = self.failures.load(Ordering::Acquire).saturating_sub(1);
        Some(failure)
    }
}
