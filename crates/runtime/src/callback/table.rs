//! The function table of an executable.

use super::{
    bind::Prototype,
    function::{HostFunction, Payload},
    handler::ATTRIBUTES,
};
use crate::{Error, Platform, Result};
use hloom_graph::{Attributes, Graph, HostCall};
use std::{panic::Location, sync::Arc};

/// The functions of a program, by slot. A call keeps the table that it started with.
#[derive(Clone)]
pub(crate) struct Table {
    pub executable: String,
    pub platform: Platform,
    /// The number of devices that the program runs on.
    pub devices: usize,
    pub slots: Vec<Slot>,
}

/// A callback of a program.
#[derive(Clone)]
pub(crate) struct Slot {
    pub name: String,
    /// The callback and its program, for errors.
    pub title: Arc<str>,
    pub location: &'static Location<'static>,
    /// The user's attributes.
    pub attributes: Attributes,
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
        let slots = graph.host_calls().iter().zip(live).enumerate();
        let slots = slots.map(|(at, (call, live))| {
            Slot::of(call, executable, graph.host_call_attributes(at, ATTRIBUTES), live)
        });
        Ok(Some(Table {
            executable: executable.into(),
            platform: platform.clone(),
            devices: graph.mesh().map_or(1, |mesh| mesh.device_count()),
            slots: slots.collect::<Result<_>>()?,
        }))
    }

    /// Checks that every live callback has its state.
    ///
    /// # Errors
    /// The first callback without a state.
    pub fn check_bound(&self) -> Result<()> {
        match self.slots.iter().find(|slot| slot.live && slot.function.is_none()) {
            None => Ok(()),
            Some(slot) => Err(Error::Unbound {
                executable: self.executable.clone(),
                callback: slot.name.clone(),
                location: slot.location,
            }),
        }
    }
}

impl Slot {
    pub fn of(
        call: &HostCall,
        executable: &str,
        attributes: Attributes,
        live: bool,
    ) -> Result<Slot> {
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
        Ok(Slot {
            name: call.name.clone(),
            title: format!("callback `{}` of `{executable}`", call.name).into(),
            location: call.location,
            attributes,
            function: function.filter(|_| live),
            prototype,
            live,
        })
    }
}
