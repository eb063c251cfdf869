//! Connects a call of an executable with the callbacks of its program.

use super::{call_state::CallState, record::Outcome, register, table::Table};
use crate::{Error, Platform, Result};
use hloom_graph::Graph;
use hloom_pjrt::ExecuteContext;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The callbacks of an executable.
///
/// The bindings are shared by the executable and its clones.
pub(crate) struct Callbacks(Mutex<CallbacksState>);

struct CallbacksState {
    /// The functions for subsequent calls.
    table: Arc<Table>,
    /// Idle carriers for later calls. They use the table above.
    idle: Vec<Carrier>,
}

/// A context with the state of a call. Used by one execution at a time.
struct Carrier {
    context: ExecuteContext,
    state: Arc<CallState>,
}

/// A call that is being launched.
pub(crate) struct Launch<'a> {
    callbacks: &'a Callbacks,
    /// Returned to the pool when the call has been launched.
    carrier: Option<Carrier>,
}

/// The number of idle carriers that are checked for a free one.
const TRIED: usize = 4;

impl Callbacks {
    /// The callbacks of a graph, registered with the plugin; `None` when there are none.
    pub fn of(graph: &Graph, executable: &str, platform: &Platform) -> Result<Option<Callbacks>> {
        let callbacks = Callbacks::unregistered(graph, executable, platform)?;
        if callbacks.is_some() {
            let known = register::register(platform.client().plugin(), platform.name());
            known.map_err(|error| register::refused(graph, platform, error))?;
        }
        Ok(callbacks)
    }

    /// The callbacks of a graph, for a host that calls them directly.
    pub fn unregistered(
        graph: &Graph,
        executable: &str,
        platform: &Platform,
    ) -> Result<Option<Callbacks>> {
        Ok(Table::of(graph, executable, platform)?.map(Callbacks::new))
    }

    /// The names of the callbacks, in order.
    pub fn names(&self) -> Vec<String> {
        // A panic cannot leave the state incomplete.
        let state = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.table.sites.all.iter().map(|site| site.name.to_string()).collect()
    }

    fn new(table: Table) -> Callbacks {
        Callbacks(Mutex::new(CallbacksState { table: Arc::new(table), idle: Vec::new() }))
    }

    fn lock(&self) -> MutexGuard<'_, CallbacksState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current functions.
    pub fn table(&self) -> Arc<Table> {
        self.lock().table.clone()
    }

    /// Changes the functions for subsequent calls.
    pub fn update<E>(&self, change: impl FnOnce(&mut Table) -> Result<(), E>) -> Result<(), E> {
        let mut state = self.lock();
        let mut new = Table::clone(&state.table);
        change(&mut new)?;
        let before = std::mem::replace(&mut state.table, Arc::new(new));
        let idle = std::mem::take(&mut state.idle);
        // Dropping the user's states runs arbitrary code; unlock first.
        drop(state);
        drop((before, idle));
        Ok(())
    }

    /// A copy of the callbacks with independent bindings.
    pub fn separate(&self) -> Callbacks {
        Callbacks::new(Table::clone(&self.table()))
    }

    /// Begins a call.
    ///
    /// # Errors
    /// A callback is not bound, or the plugin's error.
    pub fn launch(&self) -> Result<Launch<'_>> {
        let carrier = {
            let mut state = self.lock();
            state.table.check_bound()?;
            state.free().ok_or_else(|| state.table.clone())
        };
        let carrier = match carrier {
            Ok(carrier) => {
                carrier.state.renew();
                carrier
            }
            Err(table) => Carrier::new(table)?,
        };
        Ok(Launch { callbacks: self, carrier: Some(carrier) })
    }
}

impl CallbacksState {
    /// A carrier that no execution uses.
    fn free(&mut self) -> Option<Carrier> {
        let last = self.idle.len();
        let free =
            (last.saturating_sub(TRIED)..last).rev().find(|&at| !self.idle[at].context.is_shared());
        free.map(|at| self.idle.swap_remove(at))
    }
}

impl Carrier {
    fn new(table: Arc<Table>) -> Result<Carrier> {
        let failed = || Error::plugin(format!("calling `{}`", table.sites.executable));
        let context = ExecuteContext::new(table.sites.platform.client()).map_err(failed())?;
        let state = Arc::new(CallState::new(table.clone()));
        context.insert(state.clone()).map_err(failed())?;
        Ok(Carrier { context, state })
    }
}

impl Launch<'_> {
    fn carrier(&self) -> &Carrier {
        self.carrier.as_ref().expect("it is returned only on drop")
    }

    /// The execute context.
    pub fn context(&self) -> &ExecuteContext {
        &self.carrier().context
    }

    /// The outcome that may hold a failure, now or later; `None` when the call has succeeded.
    pub fn outcome(&self) -> Option<Arc<Outcome>> {
        let Carrier { context, state } = self.carrier();
        // Check first whether it has ended: later failures belong to another call.
        let has_ended = !context.is_shared();
        let record = state.record();
        (!has_ended || record.has_failed()).then(|| record.outcome.clone())
    }
}

impl Drop for Launch<'_> {
    fn drop(&mut self) {
        if let Some(carrier) = self.carrier.take() {
            let mut state = self.callbacks.lock();
            let is_current = Arc::ptr_eq(carrier.state.table(), &state.table);
            if is_current {
                state.idle.push(carrier);
            }
        }
    }
}
