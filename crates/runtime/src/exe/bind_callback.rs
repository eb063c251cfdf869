//! Binding the callbacks of an executable to their state.

use crate::{AnyExe, Callback, Result, callback::Callbacks};
use std::sync::Arc;

impl AnyExe {
    /// Binds the callbacks of type `C` to a state, replacing the previous one. Calls in flight keep
    /// the previous state.
    ///
    /// The binding belongs to the executable, and is shared by its clones and by executables
    /// derived with [`bind`](crate::Exe::bind). To bind another state independently, use
    /// [`separate_callbacks`](Self::separate_callbacks).
    ///
    /// # Errors
    /// The program has no such callback.
    pub fn bind_callback<C: Callback>(&self, state: C) -> Result<()> {
        Callbacks::bind(self.callbacks(), self.name(), None, Arc::new(state))
    }

    /// As [`bind_callback`](Self::bind_callback), with a shared state.
    ///
    /// # Errors
    /// As [`bind_callback`](Self::bind_callback).
    pub fn bind_shared_callback<C: Callback>(&self, state: Arc<C>) -> Result<()> {
        Callbacks::bind(self.callbacks(), self.name(), None, state)
    }

    /// As [`bind_callback`](Self::bind_callback), only for the callbacks of type `C` with this
    /// name.
    ///
    /// # Errors
    /// As [`bind_callback`](Self::bind_callback).
    pub fn bind_callback_named<C: Callback>(&self, name: &str, state: C) -> Result<()> {
        Callbacks::bind(self.callbacks(), self.name(), Some(name), Arc::new(state))
    }

    /// The same program with its own callback bindings. They start as a copy of these and change
    /// independently.
    pub fn separate_callbacks(&self) -> AnyExe {
        let callbacks = self.callbacks().map(|callbacks| Arc::new(callbacks.separate()));
        self.with_callbacks(callbacks)
    }

    /// Whether the program calls closures. Closures exist in this process only, so such an
    /// executable cannot be serialized. Callbacks with a bound state can be bound again after
    /// loading.
    pub fn has_closures(&self) -> bool {
        self.callbacks().is_some_and(|callbacks| {
            let table = callbacks.table();
            table.slots.iter().any(|slot| slot.live && slot.prototype.is_none())
        })
    }
}
