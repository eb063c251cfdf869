//! The end of a deferred call, and its outcome.

use crate::sync::Mutex;
use std::sync::PoisonError;

/// The state of a deferred call. It is over when its handler has returned and the call itself was
/// completed or dropped: from then on there are no views of its memory.
pub(crate) struct Settlement<E>(Mutex<Progress<E>>);

struct Progress<E> {
    /// The handler has returned, or panicked.
    returned: bool,
    /// The state of the call itself.
    call: Call,
    /// The first error of the handler or of the call.
    error: Option<E>,
}

#[derive(Clone, Copy, PartialEq)]
enum Call {
    UnderWay,
    Completed,
    /// It was dropped without being completed.
    Dropped,
}

/// The outcome of a call. It is returned once, to whichever ends last, the handler or the call.
#[derive(Debug, PartialEq)]
pub(crate) enum Settled<E> {
    /// With success, or with the first error.
    Told(Result<(), E>),
    /// It was dropped, without an error.
    Abandoned,
}

impl<E> Settlement<E> {
    pub fn new() -> Self {
        Self(Mutex::new(Progress { returned: false, call: Call::UnderWay, error: None }))
    }

    /// The handler has returned, or panicked.
    pub fn returned(&self, outcome: Result<(), E>) -> Option<Settled<E>> {
        self.settle(|progress| {
            progress.returned = true;
            progress.note(outcome);
        })
    }

    /// The call was completed with this outcome, or dropped without one.
    pub fn let_go(&self, outcome: Option<Result<(), E>>) -> Option<Settled<E>> {
        self.settle(|progress| {
            progress.call = if outcome.is_some() { Call::Completed } else { Call::Dropped };
            progress.note(outcome.unwrap_or(Ok(())));
        })
    }

    fn settle(&self, change: impl FnOnce(&mut Progress<E>)) -> Option<Settled<E>> {
        let mut progress = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut progress);
        match (progress.returned, progress.call, progress.error.take()) {
            (false, _, error) | (_, Call::UnderWay, error) => {
                progress.error = error;
                None
            }
            (true, _, Some(error)) => Some(Settled::Told(Err(error))),
            (true, Call::Completed, None) => Some(Settled::Told(Ok(()))),
            (true, Call::Dropped, None) => Some(Settled::Abandoned),
        }
    }
}

impl<E> Progress<E> {
    fn note(&mut self, outcome: Result<(), E>) {
        if let (Err(error), None) = (outcome, &self.error) {
            self.error = Some(error);
        }
    }
}
