//! The occurrences of events.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::failure::Outcome;

type Then = Box<dyn FnOnce(&Outcome) + Send>;

/// A one-time occurrence. Any number of event handles may refer to it.
#[derive(Default)]
pub(crate) struct Happening {
    inner: Mutex<Inner>,
    over: Condvar,
}

#[derive(Default)]
struct Inner {
    outcome: Option<Outcome>,
    then: Vec<Then>,
}

impl Happening {
    pub(crate) fn pending() -> Arc<Self> {
        Arc::default()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.lock().outcome.clone()
    }

    /// Completes it; false if it was complete. Runs callbacks: the register must not be locked.
    pub(crate) fn happen(&self, outcome: Outcome) -> bool {
        let then = {
            let mut inner = self.lock();
            if inner.outcome.is_some() {
                return false;
            }
            inner.outcome = Some(outcome.clone());
            std::mem::take(&mut inner.then)
        };
        self.over.notify_all();
        then.into_iter().for_each(|then| then(&outcome));
        true
    }

    /// Runs `then` on completion; at once if it is complete.
    pub(crate) fn then(&self, then: impl FnOnce(&Outcome) + Send + 'static) {
        let mut inner = self.lock();
        match inner.outcome.clone() {
            None => inner.then.push(Box::new(then)),
            Some(outcome) => {
                drop(inner);
                then(&outcome);
            }
        }
    }

    pub(crate) fn wait(&self) -> Outcome {
        let inner = self.over.wait_while(self.lock(), |inner| inner.outcome.is_none());
        let inner = inner.unwrap_or_else(PoisonError::into_inner);
        inner.outcome.clone().unwrap_or(Ok(()))
    }
}

/// Runs `work` when all of `needs` are complete, with the first error among them.
pub(crate) fn after(
    mut needs: Vec<Arc<Happening>>,
    failed: Outcome,
    work: impl FnOnce(Outcome) + Send + 'static,
) {
    match needs.pop() {
        None => work(failed),
        Some(need) => need.then(move |outcome| after(needs, failed.and(outcome.clone()), work)),
    }
}
