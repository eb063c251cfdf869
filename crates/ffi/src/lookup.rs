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

use std::{
    cell::Cell,
    marker::PhantomData,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The time that a registration waits for one handler of a program that is being compiled.
const PATIENCE: Duration = Duration::from_secs(5);

static STATE: Mutex<LookupState> = Mutex::new(LookupState {
    lookups: 0,
    is_registering: false,
    waiting: 0,
    handlers: 0,
    returned: 0,
});

static CHANGED: Condvar = Condvar::new();

struct LookupState {
    /// Threads that compile or load a program.
    lookups: usize,
    is_registering: bool,
    /// Registrations that wait.
    waiting: usize,
    /// Handlers that run at the instantiate stage.
    handlers: usize,
    /// The number of them that have returned.
    returned: u64,
}

/// The guards count what their own thread does, so they stay on it.
type SameThread = PhantomData<*const ()>;

thread_local! {
    /// Look-ups under way on this thread: a handler that is made while a program is compiled may
    /// compile another.
    static UNDER_WAY: Cell<usize> = const { Cell::new(0) };
}

fn state() -> MutexGuard<'static, LookupState> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Held while a plugin may look handlers up: while a program is compiled or loaded.
pub struct Lookup(SameThread);

impl Lookup {
    /// Waits for registrations.
    pub fn begin() -> Lookup {
        if UNDER_WAY.get() == 0 {
            let waits = |state: &mut LookupState| {
                state.is_registering || (state.waiting > 0 && state.handlers == 0)
            };
            let mut state =
                CHANGED.wait_while(state(), waits).unwrap_or_else(PoisonError::into_inner);
            state.lookups += 1;
        }
        UNDER_WAY.set(UNDER_WAY.get() + 1);
        Lookup(PhantomData)
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
pub(crate) struct Instantiation(());

impl Instantiation {
    pub(crate) fn begin() -> Instantiation {
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
pub struct Registration(());

/// The reason why a handler cannot be registered at the moment.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// This thread compiles a program: the registration would wait for itself.
    #[error(
        "handlers are registered before the programs that call them are compiled, not meanwhile"
    )]
    Compiling,
    /// A handler of a program that is being compiled does not return.
    #[error(
        "a handler cannot be registered: a handler of a program that is being compiled has not \
         returned for {seconds} s, and may wait for this; register handlers before"
    )]
    Blocked {
        /// The time for which it has not returned, in seconds.
        seconds: u64,
    },
}

impl std::fmt::Debug for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        state().is_registering = false;
        CHANGED.notify_all();
    }
}

impl Registration {
    /// Waits until no program is compiled or loaded; none is until the guard is dropped.
    ///
    /// # Errors
    /// [`Refused`], on a thread that compiles, and when a handler of a program that is being
    /// compiled does not return.
    pub fn begin() -> Result<Registration, Refused> {
        if UNDER_WAY.get() > 0 {
            return Err(Refused::Compiling);
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
                return Err(Refused::Blocked { seconds: PATIENCE.as_secs() });
            };
            stalled = Some((since, state.returned));
            state = CHANGED.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.waiting -= 1;
        state.is_registering = true;
        Ok(Registration(()))
    }
}
