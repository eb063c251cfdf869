//! Who uses memory that the host may write to.

use crate::{Error, Event, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Counts the executions and copies that still read a piece of memory.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    running: Mutex<usize>,
    idle: Condvar,
    is_lost: AtomicBool,
}

impl Usage {
    /// Counts a use until `event` happens.
    pub(crate) fn until(self: &Arc<Self>, event: &Event) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        let usage = Arc::clone(self);
        let done = Done(usage);
        // If the plugin cannot call back, `done` is dropped at once: wait here in its place.
        if event.on_ready(move |_| drop(done)).is_err() {
            let _ = event.wait();
        }
    }

    /// Counts a use whose end cannot be known: the plugin gave no event for it.
    pub(crate) fn lose(&self) {
        self.is_lost.store(true, Ordering::Release);
    }

    /// Blocks until nothing uses the memory.
    ///
    /// # Errors
    /// That cannot be known.
    pub(crate) fn wait(&self) -> Result<()> {
        if self.is_lost.load(Ordering::Acquire) {
            let message = "shared memory stays in use: the plugin did not tell when an execution or copy ends";
            return Err(Error::argument(message));
        }
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = self.idle.wait_while(running, |running| *running > 0);
        drop(idle.unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }
}

struct Done(Arc<Usage>);

impl Drop for Done {
    fn drop(&mut self) {
        *self.0.running.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.idle.notify_all();
    }
}
