//! Kernels as XLA FFI handlers, which programs call by name.
//!
//! A name ends in its version, which increases when operands, results or attributes change; a
//! program compiled with one version keeps its semantics.

mod attend;
mod block_decode;
mod block_linear;
mod linear;
mod update;

pub use attend::AttendHandler;
pub use block_decode::BlockDecodeHandler;
pub use block_linear::BlockLinearHandler;
pub use linear::LinearHandler;
pub use update::UpdateHandler;

use crate::Error;
use hloom_ffi::{DType, ErrorCode, HandlerError, Handlers};

/// Every handler, with its target name.
pub fn all() -> Vec<(&'static str, Handlers)> {
    vec![
        (LinearHandler::TARGET, Handlers::new::<LinearHandler>()),
        (BlockLinearHandler::TARGET, Handlers::new::<BlockLinearHandler>()),
        (BlockDecodeHandler::TARGET, Handlers::new::<BlockDecodeHandler>()),
        (AttendHandler::TARGET, Handlers::new::<AttendHandler>()),
        (UpdateHandler::TARGET, Handlers::new::<UpdateHandler>()),
    ]
}

impl From<Error> for HandlerError {
    fn from(error: Error) -> HandlerError {
        let code = match error {
            Error::Panicked => ErrorCode::Internal,
            Error::Isa { .. } => ErrorCode::FailedPrecondition,
            _ => ErrorCode::InvalidArgument,
        };
        HandlerError::new(code, error.to_string())
    }
}

/// The rows and columns of an operand as a matrix of rows along its last axis.
fn matrix_of(dims: &[i64]) -> Result<(usize, usize), HandlerError> {
    let size = |dim: i64| {
        usize::try_from(dim).map_err(|_| HandlerError::invalid(format!("a size of {dim}")))
    };
    let Some((&last, leading)) = dims.split_last() else {
        return Err(HandlerError::invalid("an operand without axes"));
    };
    let rows =
        leading.iter().try_fold(1, |product, &dim| Ok::<_, HandlerError>(product * size(dim)?))?;
    Ok((rows, size(last)?))
}

/// The dimensions of an operand.
fn sizes(dims: &[i64]) -> impl Iterator<Item = usize> {
    dims.iter().map(|&dim| usize::try_from(dim).unwrap_or(0))
}

/// Whether a call with this many results has a bias for each, after `x` and the weights.
fn has_biases(operands: usize, results: usize) -> Result<bool, HandlerError> {
    match operands {
        found if found == 1 + results => Ok(false),
        found if found == 1 + 2 * results => Ok(true),
        found => Err(HandlerError::invalid(format!(
            "{results} results take {} operands, or {} with biases: found {found}",
            1 + results,
            1 + 2 * results
        ))),
    }
}

fn unknown(what: &str, dtype: DType) -> HandlerError {
    HandlerError::invalid(format!("{what}: expected f32, bf16 or f16, found {dtype}"))
}
