//! What connects a call of an executable with the callbacks in its program.

use super::{handler, record::Record, table::Table};
use crate::{Error, Platform, Result};
use hloom_graph::Graph;
use hloom_pjrt::{ErrorCode, ExecuteContext, extension::ffi::HandlerError};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The callbacks of an executable.
///
/// What is bound belongs to the executable and its clones.
pub(crate) struct Callbacks {
    table: RwLock<Arc<Table>>,
    /// What executions carry, kept for the next ones.
    idle: Mutex<Vec<Carrier>>,
}

/// What an execution carries to the handler. One execution at a time uses it.
struct Carrier {
    context: ExecuteContext,
    calls: Arc<Calls>,
}

/// What the handler asks the execution for.
#[derive(Default)]
pub(super) struct Calls {
    current: Mutex<Option<Arc<Record>>>,
}

/// A call that is being made.
pub(crate) struct Launch<'a> {
    callbacks: &'a Callbacks,
    /// Given back when the call is under way.
    carrier: Option<Carrier>,
    pub record: Arc<Record>,
}

/// How many carriers are looked at for one that is free.
const TRIED: usize = 4;

impl Callbacks {
    /// The callbacks of a graph, made known to the plugin; `None` when there are none.
    pub fn of(graph: &Graph, executable: &str, platform: &Platform) -> Result<Option<Callbacks>> {
        let callbacks = Callbacks::unregistered(graph, executable, platform)?;
        if callbacks.is_some() {
            handler::register(platform).map_err(|error| handler::refused(graph, platform, error))?;
        }
        Ok(callbacks)
    }

    /// The callbacks of a graph, for a host that calls them itself.
    pub fn unregistered(graph: &Graph, executable: &str, platform: &Platform) -> Result<Option<Callbacks>> {
        Ok(Table::of(graph, executable, platform)?.map(Callbacks::new))
    }

    fn new(table: Table) -> Callbacks {
        Callbacks {
            table: RwLock::new(Arc::new(table)),
            idle: Mutex::default(),
        }
    }

    /// What is called now.
    pub fn table(&self) -> Arc<Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What is called now, if every callback has its state.
    pub fn bound_table(&self) -> Result<Arc<Table>> {
        let table = self.table();
        if let Some(slot) = table.unbound() {
            return Err(Error::Unbound {
                executable: table.executable.clone(),
                callback: slot.name.clone(),
                location: slot.location,
            });
        }
        Ok(table)
    }

    /// Changes what is called from the next call on.
    pub fn update<E>(&self, change: impl FnOnce(&mut Table) -> Result<(), E>) -> Result<(), E> {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let mut new = Table::clone(&table);
        change(&mut new)?;
        *table = Arc::new(new);
        drop(table);
        // Their records hold the functions from before.
        self.lock().clear();
        Ok(())
    }

    /// The same callbacks, which can be bound to others.
    pub fn separate(&self) -> Callbacks {
        Callbacks::new(Table::clone(&self.table()))
    }

    /// Begins a call.
    ///
    /// # Errors
    /// A callback is not bound, or the plugin's own.
    pub fn launch(&self) -> Result<Launch<'_>> {
        let table = self.bound_table()?;
        let carrier = match self.free() {
            Some(carrier) => carrier,
            None => Carrier::new(&table).map_err(Error::plugin(format!("calling `{}`", table.executable)))?,
        };
        let record = Arc::new(Record::new(table));
        *carrier.calls.lock() = Some(record.clone());
        Ok(Launch {
            callbacks: self,
            carrier: Some(carrier),
            record,
        })
    }

    /// A carrier that no execution uses.
    fn free(&self) -> Option<Carrier> {
        let mut idle = self.lock();
        let last = idle.len();
        let free = (last.saturating_sub(TRIED)..last)
            .rev()
            .find(|&at| !idle[at].context.is_shared());
        free.map(|at| idle.swap_remove(at))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Carrier>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Carrier {
    fn new(table: &Table) -> hloom_pjrt::Result<Carrier> {
        let context = ExecuteContext::new(table.platform.client())?;
        let calls = Arc::new(Calls::default());
        context.insert(calls.clone())?;
        Ok(Carrier { context, calls })
    }
}

impl Calls {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Arc<Record>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn current(&self) -> Result<Arc<Record>, HandlerError> {
        let missing = || HandlerError::new(ErrorCode::FailedPrecondition, "the execution carries no callbacks");
        self.lock().clone().ok_or_else(missing)
    }
}

impl Launch<'_> {
    /// What the execution carries.
    pub fn context(&self) -> &ExecuteContext {
        let carrier = self.carrier.as_ref().expect("it is given back when this is dropped");
        &carrier.context
    }
}

impl Drop for Launch<'_> {
    fn drop(&mut self) {
        if let Some(carrier) = self.carrier.take() {
            self.callbacks.lock().push(carrier);
        }
    }
}
