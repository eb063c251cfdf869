//! Errors that handles remember.

use hloom_graph::TraceError;
use hloom_runtime::Error;
use std::{fmt, sync::Arc};

/// The reason why a node has no value; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// The op does not accept its operands.
    Trace(Arc<TraceError>),
    /// The program that computes the node could not be compiled or called.
    Program(Arc<Error>),
}

/// An error that several handles return.
struct Shared(Arc<Error>);

impl Failure {
    pub fn to_error(&self) -> Error {
        match self {
            Failure::Trace(error) => Error::Trace((**error).clone()),
            Failure::Program(error) => Error::Above(Box::new(Shared(error.clone()))),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Trace(error) => error.fmt(f),
            Failure::Program(error) => error.fmt(f),
        }
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Shared {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}
