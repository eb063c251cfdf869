//! Binding the callbacks of an executable to their state.

use super::{Callback, host_function::Prototype, launch::Callbacks};
use crate::{AnyExe, Error, Result};
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

    /// Whether the program calls closures, which exist in this process only, so that the executable
    /// cannot be serialized. Callbacks with a bound state can be bound again after loading.
    pub fn has_closures(&self) -> bool {
        self.callbacks().is_some_and(|callbacks| {
            let table = callbacks.table();
            table.slots.iter().any(|slot| slot.live && slot.prototype.is_none())
        })
    }
}

impl Callbacks {
    /// Binds the callbacks of type `C`, or those with a name, of an executable that may have no
    /// callbacks.
    pub(super) fn bind<C: Callback>(
        callbacks: Option<&Callbacks>,
        executable: &str,
        name: Option<&str>,
        state: Arc<C>,
    ) -> Result<()> {
        let missing = |known: Vec<String>| Error::NoSuchCallback {
            executable: executable.into(),
            wanted: match name {
                Some(name) => format!("`{name}` of type {}", std::any::type_name::<C>()),
                None => format!("of type {}", std::any::type_name::<C>()),
            },
            known,
        };
        let Some(callbacks) = callbacks else {
            return Err(missing(Vec::new()));
        };
        callbacks.update(|table| {
            let mut found = false;
            for (slot, site) in table.slots.iter_mut().zip(&table.sites.all) {
                if name.is_some_and(|name| site.name != name) {
                    continue;
                }
                if let Some(function) = slot.prototype.as_ref().and_then(|p| p.with_state(&state)) {
                    slot.function = Some(function);
                    found = true;
                }
            }
            if found {
                return Ok(());
            }
            let of_type = |p: &Arc<dyn Prototype>| format!(" of type {}", p.type_name());
            let known = table.slots.iter().zip(&table.sites.all).map(|(slot, site)| {
                let of_type = slot.prototype.as_ref().map_or(", a closure".into(), of_type);
                format!("`{}`{of_type}", site.name)
            });
            Err(missing(known.collect()))
        })
    }
}
