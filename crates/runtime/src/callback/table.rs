//! The function table of an executable.

use super::{
    call_sites::{CallSite, CallSites},
    host_function::{HostFunction, Payload, Prototype},
    targets::ATTRIBUTES,
};
use crate::{Error, Platform, Result};
use hloom_graph::{Graph, HostCall};
use std::sync::Arc;

/// The functions of a program, by slot. A call keeps the table that it started with.
#[derive(Clone)]
pub(crate) struct Table {
    pub sites: Arc<CallSites>,
    pub slots: Vec<Slot>,
}

/// The function of a callback.
#[derive(Clone)]
pub(crate) struct Slot {
    /// The function; `None` for a callback whose state is not bound yet, and for one that no
    /// result needs.
    pub function: Option<Arc<dyn HostFunction>>,
    /// Creates the function from a state, for a callback that is bound.
    pub prototype: Option<Arc<dyn Prototype>>,
    /// Whether the program calls it.
    pub live: bool,
}

impl Table {
    /// The functions of a graph; `None` when it has no callbacks.
    pub fn of(graph: &Graph, executable: &str, platform: &Platform) -> Result<Option<Table>> {
        let live = graph.live_host_calls();
        if !live.contains(&true) {
            return Ok(None);
        }
        let calls = graph.host_calls();
        let sites = calls.iter().enumerate().map(|(slot, call)| {
            CallSite::new(call, executable, graph.host_call_attributes(slot, ATTRIBUTES))
        });
        let sites = CallSites {
            executable: executable.into(),
            platform: platform.clone(),
            devices: graph.mesh().map_or(1, |mesh| mesh.device_count()),
            all: sites.collect(),
        };
        let slots = calls.iter().zip(live).map(|(call, live)| Slot::of(call, live));
        Ok(Some(Table { slots: slots.collect::<Result<_>>()?, sites: Arc::new(sites) }))
    }

    /// Checks that every live callback has its state.
    ///
    /// # Errors
    /// The first callback without a state.
    pub fn check_bound(&self) -> Result<()> {
        match self.slots.iter().position(|slot| slot.live && slot.function.is_none()) {
            None => Ok(()),
            Some(slot) => Err(Error::Unbound {
                executable: self.sites.executable.clone(),
                callback: self.sites.all[slot].name.clone(),
                location: self.sites.all[slot].location,
            }),
        }
    }
}

impl Slot {
    fn of(call: &HostCall, live: bool) -> Result<Slot> {
        let Some(payload) = call.function.downcast_ref::<Payload>() else {
            return Err(Error::ForeignCallback {
                name: call.name.clone(),
                location: call.location,
            });
        };
        let (function, prototype) = match payload {
            Payload::Closure(function) => (Some(function.clone()), None),
            Payload::Bound(prototype) => (None, Some(prototype.clone())),
        };
        Ok(Slot { function: function.filter(|_| live), prototype, live })
    }
}
