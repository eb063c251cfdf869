//! A test's use of the plugin.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hloom_pjrt_sys as sys;

use super::fault::{Fault, Lie};
use super::state::state;
use super::table::table;

/// The plugin, for one test at a time: what goes wrong, and what is alive.
pub struct Session {
    minor: u16,
    _one_at_a_time: MutexGuard<'static, ()>,
}

static SESSIONS: Mutex<()> = Mutex::new(());

impl Session {
    /// The newest version, with nothing alive and nothing going wrong.
    pub fn begin() -> Self {
        Self::with_minor(sys::API_MINOR)
    }

    /// The same of an older version: its table ends earlier, and structs must have the sizes of that version.
    pub fn with_minor(minor: u16) -> Self {
        let guard = SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
        let session = Self {
            minor,
            _one_at_a_time: guard,
        };
        session.reset();
        session
    }

    /// Begins anew: nothing is alive, nothing goes wrong, no call was made.
    pub fn reset(&self) {
        let old = state().reset(self.minor);
        // Dropped when the register is unlocked: memory calls back when it is freed.
        drop(old);
    }

    /// The function table, which lives as long as the process.
    pub fn table(&self) -> *const sys::PJRT_Api {
        table(self.minor)
    }

    /// A name that no plugin of another version has.
    pub fn name(&self) -> String {
        format!("fake-0.{}", self.minor)
    }

    /// Lets a call go wrong, counted from 0 and from now on.
    pub fn fail(&self, nth: usize, fault: Fault) {
        let mut state = state();
        let at = state.calls.len() + nth;
        state.faults.push((at, fault));
    }

    /// The functions whose calls went wrong.
    pub fn faulted(&self) -> Vec<&'static str> {
        state().faulted.clone()
    }

    /// Every call so far.
    pub fn calls(&self) -> Vec<&'static str> {
        state().calls.clone()
    }

    /// Contradicts itself from now on.
    pub fn lie(&self, lie: Lie) {
        state().lies.push(lie);
    }

    /// The program of code that is not one of this plugin's lines.
    pub fn program(&self, program: &str) {
        state().program = Some(program.to_owned());
    }

    /// Keeps transfers, copies and executions from being done, until [`Session::release`].
    pub fn hold(&self) {
        state().is_holding = true;
    }

    /// Does on this thread what was held, and holds no more. Returns how much that was.
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

    /// How many objects of each kind are alive, without those that belong to a client, and without those whose destruction
    /// went wrong on demand.
    pub fn alive(&self) -> BTreeMap<&'static str, usize> {
        state().alive()
    }

    /// Destroys at last what the plugin was told not to destroy, and waits until nothing else is alive, for two seconds. Does not wait
    /// for the client of a view that was not made although its call succeeded: nobody knows what such a view uses, and it stays.
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

    /// What the C API forbids and was done all the same: uses of handles that are not alive, objects that outlive their
    /// client, structs of a wrong size.
    pub fn misuse(&self) -> Vec<String> {
        state().misuse.clone()
    }

    /// Checks that everything was destroyed, once.
    ///
    /// # Panics
    /// Something is alive, or was misused.
    pub fn assert_clean(&self) {
        let misuse = self.misuse();
        assert!(misuse.is_empty(), "misuse of the C API: {misuse:#?}");
        let alive = self.alive();
        assert!(alive.is_empty(), "never destroyed: {alive:?}");
    }
}

/// The last calls of whatever session there is, for threads that watch over it.
pub(super) fn last_calls() -> Vec<&'static str> {
    let state = state();
    state.calls[state.calls.len().saturating_sub(10)..].to_vec()
}
