//! The record of one call of a program with callbacks.

use super::{
    CallbackError, CallbackFailure,
    call_owner::{call_owner, with_call_owner},
    call_sites::{CallSite, CallSites},
};
use crate::Error;
use hloom_pjrt::{
    ErrorCode,
    extension::ffi::{HandlerError, HandlerThread, LaunchScope},
};
use std::{
    any::Any,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

/// One call of a program: its callbacks and their failures.
#[derive(Clone)]
pub(crate) struct Record {
    pub sites: Arc<CallSites>,
    /// Identifies the call in the process.
    pub run_id: u64,
    /// The number of its owner.
    pub owner: u64,
    pub outcome: Arc<Outcome>,
}

/// The failures of the callbacks of one call. The results keep it without the functions, which the
/// executable owns.
#[derive(Default)]
pub(crate) struct Outcome {
    first: OnceLock<CallbackFailure>,
    failures: AtomicUsize,
}

static NEXT_RUN: AtomicU64 = AtomicU64::new(1);

impl Record {
    pub fn new(sites: Arc<CallSites>) -> Record {
        let run_id = NEXT_RUN.fetch_add(1, Ordering::Relaxed);
        Record { sites, run_id, owner: call_owner(), outcome: Arc::default() }
    }

    /// Reuses the record for the next call, once the previous one has ended.
    pub fn renew(&mut self) {
        self.run_id = NEXT_RUN.fetch_add(1, Ordering::Relaxed);
        self.owner = call_owner();
        // The results of an earlier call may still have to report its failure.
        if self.has_failed() || Arc::get_mut(&mut self.outcome).is_none() {
            self.outcome = Arc::default();
        }
    }

    /// Whether a callback of this call has failed, so that its results will not be read.
    pub fn has_failed(&self) -> bool {
        self.outcome.first().is_some()
    }

    /// Records the failure of a callback and returns it.
    pub fn fail(&self, site: &CallSite, error: CallbackError, panicked: bool) -> CallbackFailure {
        let failure = CallbackFailure {
            executable: self.sites.executable.clone(),
            callback: site.name.clone(),
            location: site.location,
            code: error.code(),
            message: error.message().into(),
            panicked,
            others: 0,
        };
        self.outcome.failures.fetch_add(1, Ordering::AcqRel);
        let _ = self.outcome.first.set(failure.clone());
        failure
    }

    /// Runs code of a callback, which the program waits for on this `thread`, on behalf of the
    /// caller. It must not wait for the program.
    pub fn working<R>(
        &self,
        site: &CallSite,
        thread: HandlerThread,
        work: impl FnOnce() -> R,
    ) -> R {
        let (client, devices) = (self.sites.platform.client(), self.sites.devices);
        let scope = LaunchScope { client, caller: &site.title, devices, thread };
        with_call_owner(self.owner, || scope.enter(work))
    }

    /// The handler's result for a failure: success when other devices may wait for this one's
    /// outputs.
    pub fn report(&self, failure: &CallbackFailure) -> Result<(), HandlerError> {
        match self.sites.devices {
            1 => Err(failure.for_plugin()),
            _ => Ok(()),
        }
    }

    /// Records the panic of a callback.
    pub fn panicked(&self, site: &CallSite, panic: Box<dyn Any + Send>) -> CallbackFailure {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let error = CallbackError::with_code(ErrorCode::Internal, text.unwrap_or("(no message)"));
        // Dropping the panic's payload could panic again.
        std::mem::forget(panic);
        self.fail(site, error, true)
    }
}

impl Outcome {
    /// The first failure.
    pub fn first(&self) -> Option<&CallbackFailure> {
        self.first.get()
    }

    /// Fails if a callback of a call has failed. A program over several devices continues
    /// nevertheless.
    pub fn check(outcome: Option<&Outcome>) -> crate::Result<()> {
        match outcome.and_then(Outcome::failure) {
            Some(failure) => Err(Error::Callback(Box::new(failure))),
            None => Ok(()),
        }
    }

    /// The first failure, with the number of further ones.
    pub fn failure(&self) -> Option<CallbackFailure> {
        let mut failure = self.first.get()?.clone();
        failure.others = self.failures.load(Ordering::Acquire).saturating_sub(1);
        Some(failure)
    }
}
