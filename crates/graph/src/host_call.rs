//! Functions of the host that a program calls.

use std::{
    any::{Any, TypeId},
    fmt,
    panic::Location,
    sync::Arc,
};

/// A function of the host that a program calls, as the graph carries it: what it is, only the layer knows that runs the program.
///
/// The custom call that stands for it says its position in [`Graph::host_calls`](crate::Graph::host_calls) by its attribute
/// `slot`.
#[derive(Clone)]
pub struct HostCall {
    /// What the user calls it.
    pub name: String,
    /// The line of the user's source that put it into the program.
    pub location: &'static Location<'static>,
    /// The function.
    pub function: Arc<dyn Any + Send + Sync>,
    /// What tells it from others; `None` when nothing is like it.
    pub id: Option<FunctionId>,
}

/// What tells functions of the host apart: pure calls of one function under one name, on the same operands and told the same, are
/// one call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionId {
    type_id: TypeId,
    address: usize,
}

impl FunctionId {
    /// That of all functions of a type without state.
    pub fn of_type<F: 'static>() -> FunctionId {
        FunctionId {
            type_id: TypeId::of::<F>(),
            address: 0,
        }
    }

    /// That of a function with a state, and of those that share the state. The graph's function must keep it alive.
    pub fn of_shared<F: 'static>(function: &Arc<F>) -> FunctionId {
        FunctionId {
            type_id: TypeId::of::<F>(),
            address: Arc::as_ptr(function) as usize,
        }
    }
}

impl HostCall {
    /// The attribute that says which one is called.
    pub const SLOT: &'static str = "slot";

    pub(crate) fn is_same(&self, other: &HostCall) -> bool {
        self.id.is_some() && self.id == other.id && self.name == other.name
    }
}

impl fmt::Debug for HostCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostCall")
            .field("name", &self.name)
            .field("location", &self.location)
            .finish_non_exhaustive()
    }
}
