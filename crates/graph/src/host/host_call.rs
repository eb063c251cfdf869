//! Host functions that a program calls.

use std::{
    any::{Any, TypeId},
    fmt,
    panic::Location,
    sync::Arc,
};

/// A host function that a program calls. The graph only carries it; the layer that runs the program
/// knows its type.
///
/// The custom call of this function holds its index in
/// [`Graph::host_calls`](crate::Graph::host_calls) in the attribute `slot`.
#[derive(Clone)]
pub struct HostCall {
    /// The name given by the user.
    pub name: String,
    /// The user's source line of the call.
    pub location: &'static Location<'static>,
    /// The function.
    pub function: Arc<dyn Any + Send + Sync>,
    /// Its identity; `None` if it is unique.
    pub id: Option<FunctionId>,
}

/// The identity of a host function: pure calls of one function under the same name, with the same
/// operands and attributes, are merged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionId {
    type_id: TypeId,
    address: usize,
}

impl FunctionId {
    /// The identity of all functions of a type without state.
    pub fn of_type<F: 'static>() -> FunctionId {
        FunctionId { type_id: TypeId::of::<F>(), address: 0 }
    }

    /// The identity of a function with state, shared by all holders of the state. The graph's
    /// function must keep it alive.
    pub fn of_shared<F: 'static>(function: &Arc<F>) -> FunctionId {
        FunctionId { type_id: TypeId::of::<F>(), address: Arc::as_ptr(function) as usize }
    }
}

impl HostCall {
    /// The attribute that holds the slot of the called function.
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
