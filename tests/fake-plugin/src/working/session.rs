//! A test's use of the plugin.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hloom_pjrt_sys as sys;

use super::fault::{Fault, Lie};
use super::state::state;
use super::table::table;

/// The plugin, for one test at a time: its faults and its live objects.
pub struct Session {
    minor: u16,
    _one_at_a_time: MutexGuard<'static, ()>,
}

static SESSIONS: Mutex<()> = Mutex::new(());

impl Session {
    /// Starts with the newest version, no live objects and no faults.
    pub fn begin() -> Self {
        Self::with_minor(sys::API_MINOR)
    }

    /// Starts with an older version: its table ends earlier, and structs must have the sizes of
    /// that version.
    pub fn with_minor(minor: u16) -> Self {
        let guard = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
        let session = Self { minor, _one_at_a_time: guard };
        session.reset();
        session
    }

    /// Resets the state: no live objects, no faults, no calls.
    pub fn reset(&self) {
        let old = state().reset(self.minor);
        // Dropped when the register is unlocked: memory calls back when it is freed.
        drop(old);
    }

    /// The function table, which lives as long as the process.
    pub fn table(&self) -> *const sys::PJRT_Api {
        table(self.minor)
    }

    /// A name that is unique to this version of the plugin.
    pub fn name(&self) -> String {
        format!("fake-0.{}", self.minor)
    }

    /// Injects a fault into a call, counted from 0 and from now on.
    pub fn fail(&self, nth: usize, fault: Fault) {
        let mut state = state();
        let at = state.calls.len() + nth;
        state.faults.push((at, fault));
    }

    /// The functions whose calls failed.
    pub fn faulted(&self) -> Vec<&'static str> {
        state().faulted.clone()
    }

    /// All calls so far.
    pub fn calls(&self) -> Vec<&'static str> {
        state().calls.clone()
    }

    /// Makes results contradictory from now on.
    pub fn lie(&self, lie: Lie) {
        state().lies.push(lie);
    }

    /// Sets the program for code that is not one of this plugin's lines.
    pub fn program(&self, program: &str) {
        state().program = Some(program.to_owned());
    }

    /// Defers transfers, copies and executions until [`Session::release`].
    pub fn hold(&self) {
        state().is_holding = true;
    }

    /// Runs the deferred work on this thread, and defers no more. Returns the number of jobs.
    pub fn release(&self) -> usize {
        state().is_holding = false;
        let mut count = 0;
        loop {
            let next: Option<_> = state().held.pop_front();
            let Some(job) = next else { return count };
            job();
            count += 1;
        }
    }

    /// The number of live objects of each kind, except those that belong to a client and those
    /// whose destruction failed by injection.
    pub fn alive(&self) -> BTreeMap<&'static str, usize> {
        state().alive()
    }

    /// Destroys the objects whose destruction was suppressed, and waits up to two seconds until no
    /// others are alive. Does not wait for the client of a view that was not created although its
    /// call succeeded: it is unknown what such a view uses, and it stays.
    pub fn destroy_spared(&self) {
        let spared = state().take_spared();
        drop(spared);
        if state().is_view_lost {
            return;
        }
        for _ in 0..2000 {
            if self.alive().is_empty() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    /// Violations of the C API: uses of handles that are not alive, objects that outlive their
    /// client, structs of a wrong size.
    pub fn misuse(&self) -> Vec<String> {
        state().misuse.clone()
    }

    /// Checks that everything was destroyed exactly once.
    ///
    /// # Panics
    /// An object is alive, or was misused.
    pub fn assert_clean(&self) {
        let misuse = self.misuse();
        assert!(misuse.is_empty(), "misuse of the C API: {misuse:#?}");
        let alive = self.alive();
        assert!(alive.is_empty(), "never destroyed: {alive:?}");
    }
}

/// The last calls of the current session, for watchdog threads.
pub(super) fn last_calls() -> Vec<&'static str> {
    let state = state();
    state.calls[state.calls.len().saturating_sub(10)..].to_vec()
}
