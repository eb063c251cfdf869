//! Keeps the registration of handlers apart from their look-up.
//!
//! The handlers of XLA's FFI lie in a table of the whole plugin, which older plugins read and write without a lock of their own. It
//! is read while a program is compiled or loaded.

use crate::api::Api;
use crate::{Error, Result};
use std::cell::Cell;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static TABLES: RwLock<()> = RwLock::new(());

thread_local! {
    /// Look-ups under way on this thread: a handler that is made while a program is compiled may compile another.
    static UNDER_WAY: Cell<usize> = const { Cell::new(0) };
}

/// Held while the plugin may look handlers up.
pub(crate) struct Lookup {
    _table: Option<RwLockReadGuard<'static, ()>>,
}

impl Lookup {
    /// Waits for registrations.
    ///
    /// # Errors
    /// [`Error::Forked`].
    pub(crate) fn begin(api: &Api, function: &'static str) -> Result<Lookup> {
        api.check_process(function)?;
        let outermost = UNDER_WAY.get() == 0;
        let table = outermost.then(|| TABLES.read().unwrap_or_else(PoisonError::into_inner));
        UNDER_WAY.set(UNDER_WAY.get() + 1);
        Ok(Lookup { _table: table })
    }
}

impl Drop for Lookup {
    fn drop(&mut self) {
        UNDER_WAY.set(UNDER_WAY.get() - 1);
    }
}

/// Waits until no program is compiled or loaded; none is until the guard goes.
///
/// # Errors
/// [`Error::Argument`] on a thread that compiles: it would wait for itself; [`Error::Forked`].
pub(super) fn register(api: &Api) -> Result<RwLockWriteGuard<'static, ()>> {
    api.check_process("XLA_FFI_Handler_Register")?;
    match UNDER_WAY.get() {
        0 => Ok(TABLES.write().unwrap_or_else(PoisonError::into_inner)),
        _ => Err(Error::argument(
            "handlers are registered before the programs that call them are compiled, not meanwhile",
        )),
    }
}
