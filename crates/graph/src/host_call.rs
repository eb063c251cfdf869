//! Functions of the host that a program calls.

use std::{any::Any, fmt, panic::Location, sync::Arc};

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
}

impl HostCall {
    /// The attribute that says which one is called.
    pub const SLOT: &'static str = "slot";
}

impl fmt::Debug for HostCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostCall")
            .field("name", &self.name)
            .field("location", &self.location)
            .finish_non_exhaustive()
    }
}
