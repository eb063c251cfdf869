//! The order and number of launches on several devices.
//!
//! All devices must be given their programs in the same order, or two programs wait for each other for ever. And a plugin may take
//! only so many programs at a time for each device: the CPU's takes 32, and the threads that hand it more wait for room, also those
//! that a program under way needs on its other devices. So every few launches, those before the last few are waited for.

use crate::client::ClientInner;
use crate::{Event, sys};
use std::ptr::NonNull;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What is known of a client's launches on several devices. Locked while one is made.
#[derive(Default)]
pub(crate) struct Launches(Mutex<State>);

#[derive(Default)]
pub(crate) struct State {
    /// How many there were since the marked one.
    since: usize,
    marked: Option<Arc<Mark>>,
}

/// A launch that is waited for.
struct Mark {
    /// Devices that have not ended it.
    left: Mutex<usize>,
    ended: Condvar,
}

/// Launches from one that is marked to the next; at most twice as many are under way.
const BETWEEN: usize = 8;

impl Launches {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for another launch, and keeps others from being made until the guard is dropped.
    pub fn begin(&self) -> MutexGuard<'_, State> {
        let mut state = self.state();
        while let Some(mark) = state.to_wait_for() {
            // Whoever makes it end may have to launch something itself.
            drop(state);
            mark.wait();
            state = self.state();
        }
        state.since += 1;
        state
    }
}

impl State {
    fn to_wait_for(&self) -> Option<Arc<Mark>> {
        let mark = self.marked.as_ref().filter(|mark| !mark.has_ended())?;
        (self.since + 1 >= BETWEEN).then(|| Arc::clone(mark))
    }

    /// Whether the next launch is to be marked.
    pub fn is_due(&self) -> bool {
        self.since >= BETWEEN
    }

    /// Marks a launch by the events that it has ended on each device, which are destroyed unless they are `needed`.
    pub fn mark(&mut self, client: &Arc<ClientInner>, events: &mut [*mut sys::PJRT_Event], needed: bool) {
        let mark = Arc::new(Mark {
            left: Mutex::new(events.len()),
            ended: Condvar::new(),
        });
        for slot in events {
            let Some(raw) = NonNull::new(std::mem::replace(slot, std::ptr::null_mut())) else {
                mark.count_down();
                continue;
            };
            // SAFETY: a new event of this client, which nobody else has yet.
            let event = unsafe { Event::new(Arc::clone(client), raw) };
            let on_device = Arc::clone(&mark);
            if event.on_ready(move |_| on_device.count_down()).is_err() {
                mark.count_down();
            }
            if needed {
                *slot = event.into_raw();
            }
        }
        self.marked = Some(mark);
        self.since = 0;
    }
}

impl Mark {
    fn left(&self) -> MutexGuard<'_, usize> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_ended(&self) -> bool {
        *self.left() == 0
    }

    fn count_down(&self) {
        let mut left = self.left();
        *left -= 1;
        if *left == 0 {
            self.ended.notify_all();
        }
    }

    fn wait(&self) {
        let waited = self.ended.wait_while(self.left(), |left| *left > 0);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}
