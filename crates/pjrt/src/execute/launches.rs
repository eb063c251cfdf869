//! The order and number of launches on several devices.
//!
//! All devices must receive their programs in the same order, or two programs wait for each other
//! forever. A plugin may also limit the programs in flight on each device: the CPU's accepts 32,
//! and threads that launch more block, including those that a running program needs on its other
//! devices. So every few launches, those before the last few are waited for.

use crate::sync::{Condvar, Mutex, MutexGuard};
use std::sync::{Arc, PoisonError};

/// The state of a client's launches on several devices. Locked during a launch. Every `BETWEEN`
/// launches one is marked; at most twice as many are in flight.
pub(crate) struct Launches<const BETWEEN: usize = 8>(Mutex<LaunchState<BETWEEN>>);

/// The launches so far.
#[derive(Default)]
pub(crate) struct LaunchState<const BETWEEN: usize> {
    /// The number since the marked one.
    since: usize,
    marked: Option<Arc<Mark>>,
}

/// A launch that is waited for.
pub(crate) struct Mark {
    /// Devices that have not ended it.
    left: Mutex<usize>,
    ended: Condvar,
}

impl<const BETWEEN: usize> Launches<BETWEEN> {
    fn state(&self) -> MutexGuard<'_, LaunchState<BETWEEN>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until another launch is allowed, and blocks others until the guard is dropped.
    pub fn begin(&self) -> MutexGuard<'_, LaunchState<BETWEEN>> {
        let mut state = self.state();
        while let Some(mark) = state.to_wait_for() {
            // The code that it waits for may have to launch something itself.
            drop(state);
            mark.wait();
            state = self.state();
        }
        state.since += 1;
        state
    }
}

impl<const BETWEEN: usize> Default for Launches<BETWEEN> {
    fn default() -> Self {
        Self(Mutex::new(LaunchState::default()))
    }
}

impl<const BETWEEN: usize> LaunchState<BETWEEN> {
    fn to_wait_for(&self) -> Option<Arc<Mark>> {
        let mark = self.marked.as_ref().filter(|mark| !mark.has_ended())?;
        (self.since + 1 >= BETWEEN).then(|| Arc::clone(mark))
    }

    /// Whether the next launch is to be marked.
    pub fn is_due(&self) -> bool {
        self.since >= BETWEEN
    }

    /// Marks a launch, whose count each of its devices decreases at the end.
    pub fn mark(&mut self, devices: usize) -> Arc<Mark> {
        let mark = Arc::new(Mark { left: Mutex::new(devices), ended: Condvar::new() });
        self.marked = Some(Arc::clone(&mark));
        self.since = 0;
        mark
    }
}

impl Mark {
    fn left(&self) -> MutexGuard<'_, usize> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_ended(&self) -> bool {
        *self.left() == 0
    }

    /// A device has ended the launch.
    pub fn count_down(&self) {
        let mut left = self.left();
        *left -= 1;
        if *left == 0 {
            self.ended.notify_all();
        }
    }

    fn wait(&self) {
        let mut left = self.left();
        while *left > 0 {
            left = self.ended.wait(left).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
