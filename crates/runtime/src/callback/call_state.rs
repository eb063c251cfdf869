//! The state of a call that its execution passes to the handlers.

use super::{record::Record, table::Table};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// The functions of a call in flight and its record. The record is renewed only while no execution
/// uses it.
pub(crate) struct CallState {
    table: Arc<Table>,
    record: RwLock<Record>,
}

impl CallState {
    pub fn new(table: Arc<Table>) -> CallState {
        let record = RwLock::new(Record::new(table.sites.clone()));
        CallState { table, record }
    }

    /// The functions.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// The record of the call in flight.
    pub fn record(&self) -> RwLockReadGuard<'_, Record> {
        self.record.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reuses the state for the next call.
    pub fn renew(&self) {
        self.record.write().unwrap_or_else(PoisonError::into_inner).renew();
    }
}
