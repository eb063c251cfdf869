//! Errors of the interpreter.

use hloom_graph::Shape;
use std::panic::Location;

/// The reason why a graph was not evaluated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InterpretError {
    /// Inputs whose number or shapes differ from the graph's parameters.
    #[error("`{graph}` takes {expected:?}, not {found:?}")]
    Inputs {
        /// The graph's name.
        graph: String,
        /// The shapes of its parameters.
        expected: Vec<Shape>,
        /// The shapes of the inputs.
        found: Vec<Shape>,
    },
    /// A number of bytes that does not fit a shape.
    #[error("{shape} has {} bytes, not {found}", shape.byte_size())]
    Bytes {
        /// The shape.
        shape: Box<Shape>,
        /// The number of bytes.
        found: usize,
    },
    /// A custom call without an evaluator.
    #[error(
        "there is no evaluator of the custom call `{target}`, at {location}; give one with \
         `Interpreter::custom_call`"
    )]
    CustomCall {
        /// The target.
        target: String,
        /// The user's line.
        location: &'static Location<'static>,
    },
    /// A call of a host function without an evaluator.
    #[error(
        "there is no evaluator of the host function `{name}`, at {location}; give one with \
         `Interpreter::host_call`"
    )]
    HostCall {
        /// The name of the function.
        name: String,
        /// The user's line.
        location: &'static Location<'static>,
    },
    /// An evaluator that failed, or returned tensors of other shapes.
    #[error("the evaluator of `{name}`: {message}")]
    Evaluator {
        /// The target or the name of the function.
        name: String,
        /// The problem.
        message: String,
    },
    /// Devices that do not all reach a collective: a loop or a branch depends on the device.
    #[error("`{op}`, at {location}, is not reached by all devices of its group")]
    Divergent {
        /// The collective.
        op: &'static str,
        /// The user's line.
        location: &'static Location<'static>,
    },
    /// A computation of more steps than the limit.
    #[error(
        "the computation takes more than {limit} steps, those of `{op}` at {location} among them; \
         raise it with `Interpreter::limit`"
    )]
    Limit {
        /// The limit.
        limit: u64,
        /// The op that exceeded it.
        op: &'static str,
        /// The user's line.
        location: &'static Location<'static>,
    },
    /// A tensor of more elements than the interpreter holds.
    #[error("{shape} has more than the {} elements of an interpreted tensor", crate::MAX_ELEMENTS)]
    TooLarge {
        /// The shape.
        shape: Box<Shape>,
    },
    /// Bodies that are nested too deeply.
    #[error("bodies are nested more than {depth} deep")]
    Nesting {
        /// The largest depth.
        depth: usize,
    },
}
