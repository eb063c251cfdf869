//! Uses of memory that the host may write to.

use crate::sync::{Condvar, Mutex, MutexGuard};
use std::sync::{Arc, PoisonError};

/// Counts the executions and copies that still read a piece of memory.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    uses: Mutex<Uses>,
    idle: Condvar,
}

#[derive(Debug, Default)]
struct Uses {
    running: usize,
    /// Whether the end of one is unknown.
    is_lost: bool,
}

/// A use, until it is dropped.
pub(crate) struct Use(Arc<Usage>);

/// It is unknown whether the memory is in use.
#[derive(Debug)]
pub(crate) struct Lost;

impl Usage {
    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a use.
    pub fn begin(self: &Arc<Self>) -> Use {
        self.uses().running += 1;
        Use(Arc::clone(self))
    }

    /// Counts a use whose end is unknown: the plugin returned no event for it.
    pub fn lose(&self) {
        self.uses().is_lost = true;
    }

    /// Whether nothing uses the memory.
    pub fn is_idle(&self) -> bool {
        self.uses().running == 0
    }

    /// Blocks until nothing uses the memory.
    pub fn wait(&self) -> Result<(), Lost> {
        let mut uses = self.uses();
        while uses.running > 0 && !uses.is_lost {
            uses = self.idle.wait(uses).unwrap_or_else(PoisonError::into_inner);
        }
        if uses.is_lost { Err(Lost) } else { Ok(()) }
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        let mut uses = self.0.uses();
        uses.running -= 1;
        if uses.running == 0 {
            self.0.idle.notify_all();
        }
    }
}
