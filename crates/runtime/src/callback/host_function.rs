//! Host functions: the type-erased code of callbacks.

use super::{CallbackError, record::Record, views::ViewMemory};
use hloom_graph::{BriefShapes, Shape};
use hloom_pjrt::extension::ffi::{CallFrame, HostArrays};
use std::{any::Any, fmt, sync::Arc};

/// The payload that the graph carries for a callback.
pub(crate) enum Payload {
    /// A function that is ready to be called.
    Closure(Arc<dyn HostFunction>),
    /// Creates a function from a state.
    Bound(Arc<dyn Prototype>),
}

/// Code that a program calls.
pub(crate) trait HostFunction: Send + Sync {
    /// The shapes of the inputs and outputs.
    fn shapes(&self) -> Shapes;
    fn call(&self, call: HostFrame<'_, '_>) -> Result<(), CallbackError>;
}

/// The shapes of a function's inputs and outputs.
pub(crate) struct Shapes {
    pub inputs: Vec<Shape>,
    pub outputs: Vec<Shape>,
}

/// Calls a function, in a span with its name and shapes.
pub(crate) fn call_in_span(
    function: &dyn HostFunction,
    record: &Record,
    slot: usize,
    call: impl FnOnce() -> Result<(), CallbackError>,
) -> Result<(), CallbackError> {
    let span = tracing::trace_span!(
        "callback",
        name = %record.sites.all[slot].name,
        executable = %record.sites.executable,
        run = record.run_id,
        shapes = %function.shapes(),
    );
    let _entered = span.entered();
    tracing::trace!("called");
    call()
}

/// A call of a host function.
pub(crate) struct HostFrame<'c, 'f> {
    pub source: CallSource<'c, 'f>,
    pub record: &'c Record,
    pub slot: usize,
    pub place: ViewMemory,
}

/// The caller and its arrays.
pub(crate) enum CallSource<'c, 'f> {
    /// A program.
    Frame(&'c mut CallFrame<'f>),
    /// A program, with host copies of its arrays; without a frame, a call between two steps of a
    /// program.
    Arrays(Option<&'c CallFrame<'f>>, &'c mut HostArrays),
}

/// Creates a host function from a state.
pub(crate) trait Prototype: Any + Send + Sync {
    /// The type of the state.
    fn type_name(&self) -> &'static str;
    /// The function; `None` when the state, an `Arc` of the callback, is of another type.
    fn with_state(&self, state: &dyn Any) -> Option<Arc<dyn HostFunction>>;
}

impl fmt::Display for Shapes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let brief = |shapes: &[Shape]| BriefShapes(shapes.iter().copied()).to_string();
        write!(f, "({}) -> ({})", brief(&self.inputs), brief(&self.outputs))
    }
}
