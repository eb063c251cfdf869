//! The order and number of launches on several devices.
//!
//! All devices must be given their programs in the same order, or two programs wait for each other for ever. And a plugin may take
//! only so many programs at a time for each device: the CPU's takes 32, and the threads that hand it more wait for room, also those
//! that a program under way needs on its other devices. So every few launches, those before the last few are waited for.

use crate::api::Api;
use crate::sys;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is known of a client's launches on several devices. Locked while one is made.
#[derive(Default)]
pub(crate) struct Launches(Mutex<State>);

#[derive(Default)]
pub(crate) struct State {
    /// How many there were since the marked one.
    since: usize,
    /// The events that a launch has ended on each device, which nobody else has.
    marked: Vec<NonNull<sys::PJRT_Event>>,
}

// SAFETY: the C API's events are thread-safe.
unsafe impl Send for State {}

/// Launches from one that is marked to the next.
const BETWEEN: usize = 4;

impl Launches {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for another launch, and keeps others from being made until the guard is dropped.
    pub fn begin(&self, api: &Api) -> MutexGuard<'_, State> {
        let mut state = self.state();
        state.since += 1;
        if state.is_due() && !state.marked.is_empty() {
            let marked = std::mem::take(&mut state.marked);
            // Whoever makes it end may have to launch something itself.
            drop(state);
            for event in marked {
                let mut args: sys::PJRT_Event_Await_Args = api.zeroed();
                args.event = event.as_ptr();
                // SAFETY: the event is alive. What went wrong is told by the results of the program.
                let _ = unsafe { api.call(&mut args) };
                destroy(api, event);
            }
            state = self.state();
        }
        state
    }

    /// Lets go of the events, before their client goes.
    pub fn clear(&self, api: &Api) {
        let marked = std::mem::take(&mut self.state().marked);
        marked.into_iter().for_each(|event| destroy(api, event));
    }
}

impl State {
    /// Whether the next launch is to be marked.
    pub fn is_due(&self) -> bool {
        self.since >= BETWEEN
    }

    /// Marks a launch by its events, which are taken over.
    pub fn mark(&mut self, api: &Api, events: &mut [*mut sys::PJRT_Event]) {
        let taken = events
            .iter_mut()
            .map(|event| std::mem::replace(event, std::ptr::null_mut()));
        let before = std::mem::replace(&mut self.marked, taken.filter_map(NonNull::new).collect());
        // That of another thread, which has launched meanwhile.
        before.into_iter().for_each(|event| destroy(api, event));
        self.since = 0;
    }
}

fn destroy(api: &Api, event: NonNull<sys::PJRT_Event>) {
    let mut args: sys::PJRT_Event_Destroy_Args = api.zeroed();
    args.event = event.as_ptr();
    // SAFETY: the event is owned by the mark, and not used again.
    unsafe { api.release(&mut args) };
}
