//! Mutual exclusion of registration and look-up of handlers.
//!
//! A plugin has one table of handlers of XLA's FFI, which older plugins read and write without a
//! lock. It is read while a program is compiled or loaded. So registrations wait for compilations,
//! and compilations for registrations.
//!
//! A compilation may call handlers of its program, at the instantiate stage, and such a handler may
//! wait for another thread:
//! - one that compiles: it does not wait for a registration that is itself waiting for this
//!   handler;
//! - one that registers: that wait cannot be detected, so a registration that a handler has kept
//!   waiting for [`PATIENCE`] is refused. On the handler's own thread it is refused at once.

use crate::api::Api;
use crate::{Error, Result};
use std::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a registration waits for one handler of a program that is being compiled.
const PATIENCE: Duration = Duration::from_secs(5);

static STATE: Mutex<State> =
    Mutex::new(State { lookups: 0, is_registering: false, waiting: 0, handlers: 0, returned: 0 });

static CHANGED: Condvar = Condvar::new();

struct State {
    /// Threads that compile or load a program.
    lookups: usize,
    is_registering: bool,
    /// Registrations that wait.
    waiting: usize,
    /// Handlers that run at the instantiate stage.
    handlers: usize,
    /// How many of them have returned.
    returned: u64,
}

thread_local! {
    /// Look-ups under way on this thread: a handler that is made while a program is compiled may
    /// compile another.
    static UNDER_WAY: Cell<usize> = const { Cell::new(0) };
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Held while the plugin may look handlers up.
pub(crate) struct Lookup(());

impl Lookup {
    /// Waits for registrations.
    ///
    /// # Errors
    /// [`Error::Forked`].
    pub(crate) fn begin(api: &Api, function: &'static str) -> Result<Lookup> {
        api.check_process(function)?;
        if UNDER_WAY.get() == 0 {
            let waits = |state: &mut State| {
                state.is_registering || (state.waiting > 0 && state.handlers == 0)
            };
            let mut state =
                CHANGED.wait_while(state(), waits).unwrap_or_else(PoisonError::into_inner);
            state.lookups += 1;
        }
        UNDER_WAY.set(UNDER_WAY.get() + 1);
        Ok(Lookup(()))
    }
}

impl Drop for Lookup {
    fn drop(&mut self) {
        UNDER_WAY.set(UNDER_WAY.get() - 1);
        if UNDER_WAY.get() == 0 {
            state().lookups -= 1;
            CHANGED.notify_all();
        }
    }
}

/// Held while a handler called by a compilation runs.
pub(super) struct Instantiation(());

impl Instantiation {
    pub(super) fn begin() -> Instantiation {
        UNDER_WAY.set(UNDER_WAY.get() + 1);
        state().handlers += 1;
        CHANGED.notify_all();
        Instantiation(())
    }
}

impl Drop for Instantiation {
    fn drop(&mut self) {
        UNDER_WAY.set(UNDER_WAY.get() - 1);
        let mut state = state();
        state.handlers -= 1;
        state.returned += 1;
        drop(state);
        CHANGED.notify_all();
    }
}

/// Held while a handler is registered.
pub(super) struct Registration(());

impl Drop for Registration {
    fn drop(&mut self) {
        state().is_registering = false;
        CHANGED.notify_all();
    }
}

/// Waits until no program is compiled or loaded; none is until the guard is dropped.
///
/// # Errors
/// [`Error::Argument`] on a thread that compiles, which would wait for itself, and when a handler
/// of a program that is being compiled does not return; [`Error::Forked`].
pub(super) fn register(api: &Api) -> Result<Registration> {
    api.check_process("XLA_FFI_Handler_Register")?;
    if UNDER_WAY.get() > 0 {
        return Err(Error::argument(
            "handlers are registered before the programs that call them are compiled, not \
             meanwhile",
        ));
    }
    let mut state = state();
    state.waiting += 1;
    // The time since which no running handler has returned, and the number of returns by then.
    let mut stalled: Option<(Instant, u64)> = None;
    while state.is_registering || state.lookups > 0 {
        if state.handlers == 0 {
            stalled = None;
            state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        let since = match stalled {
            Some((since, returned)) if returned == state.returned => since,
            _ => Instant::now(),
        };
        let Some(left) = PATIENCE.checked_sub(since.elapsed()).filter(|left| !left.is_zero())
        else {
            state.waiting -= 1;
            drop(state);
            CHANGED.notify_all();
            return Err(Error::argument(format!(
                "a handler cannot be registered: a handler of a program that is being compiled \
                 has not returned for {} s, and may wait for this; register handlers before",
                PATIENCE.as_secs()
            )));
        };
        stalled = Some((since, state.returned));
        state = CHANGED.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
    }
    state.waiting -= 1;
    state.is_registering = true;
    Ok(Registration(()))
}
