//! Binding callbacks to their state.

use super::{Callback, host_function::Prototype, launch::Callbacks};
use crate::{Error, Result};
use std::sync::Arc;

impl Callbacks {
    /// Binds the callbacks of type `C`, or those with a name, of an executable that may have no
    /// callbacks.
    pub fn bind<C: Callback>(
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
            let _entered = tracing::debug_span!("bind callback", executable).entered();
            let mut found = false;
            for (slot, site) in table.slots.iter_mut().zip(&table.sites.all) {
                if name.is_some_and(|name| site.name != name) {
                    continue;
                }
                if let Some(function) = slot.prototype.as_ref().and_then(|p| p.with_state(&state)) {
                    tracing::debug!(name = %site.name, of = std::any::type_name::<C>(), "bound");
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
