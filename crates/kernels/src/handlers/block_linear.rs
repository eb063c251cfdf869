//! The handler of matmuls with block-quantised weights.

use super::matrix_of;
use crate::{
    Activations, BlockKind, BlockLinear, BlockMatrix, Element, Isa, Matrix, MatrixMut, Workers,
    block_linear,
};
use half::{bf16, f16};
use hloom_ffi::{CallFrame, DType, Element as HostElement, Handler, HandlerError, Output};

/// The handler `hloom.block_linear.v1`.
///
/// Operands: `x`, `[.., k]`, of type `f32`, `bf16` or `f16`; the weights, each `ui8[n, bytes]` with
/// its own `n`, whose rows are the blocks of `k` values; then, optionally, as many biases, each
/// `[n]`. Results: for each weight `[.., n]`; all results and biases are of one type, `f32` or that
/// of `x`. Attributes: `kinds`, the [names](BlockKind::name) of the weights' kinds separated by
/// commas, in their order; `activations`, the [name](Activations::name) of the form of `x`.
pub struct BlockLinearHandler;

impl BlockLinearHandler {
    /// The target name of custom calls.
    pub const TARGET: &str = "hloom.block_linear.v1";
}

impl Handler for BlockLinearHandler {
    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        match frame.argument(0)?.dtype() {
            DType::F32 => with_x::<f32>(frame),
            DType::BF16 => with_x::<bf16>(frame),
            DType::F16 => with_x::<f16>(frame),
            other => Err(super::unknown("x", other)),
        }
    }
}

fn with_x<X: Element + HostElement>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let mut results =
        (0..frame.num_results()).map(|index| frame.result(index)).collect::<Result<Vec<_>, _>>()?;
    match results.first().map(|result| result.dtype()) {
        None => Ok(()),
        Some(DType::F32) => call::<X, f32>(frame, &mut results),
        Some(dtype) if dtype == <X as HostElement>::DTYPE => call::<X, X>(frame, &mut results),
        Some(other) => Err(HandlerError::invalid(format!(
            "the result: expected f32 or the type of x, found {other}"
        ))),
    }
}

fn call<X: Element + HostElement, Y: Element + HostElement>(
    frame: &CallFrame<'_>,
    results: &mut [Output<'_>],
) -> Result<(), HandlerError> {
    let count = results.len();
    let has_bias = super::has_biases(frame.num_arguments(), count)?;
    let attributes = frame.attributes();
    let kinds = kinds(attributes.string("kinds")?, count)?;
    let name = attributes.string("activations")?;
    let activations = Activations::from_name(name)
        .ok_or_else(|| HandlerError::invalid(format!("unknown activations `{name}`")))?;
    let x = frame.argument(0)?;
    let (rows, k) = matrix_of(x.dims())?;
    let x = Matrix::new(x.as_slice::<X>()?, rows, k)?;
    let products = results.iter_mut().enumerate().map(|(index, result)| {
        let weight = frame.argument(1 + index)?;
        let (n, _) = matrix_of(weight.dims())?;
        let bias =
            if has_bias { Some(frame.argument(1 + count + index)?.as_slice::<Y>()?) } else { None };
        let (rows, columns) = matrix_of(result.dims())?;
        Ok::<_, HandlerError>(BlockLinear {
            weight: BlockMatrix::new(kinds[index], weight.as_slice::<u8>()?, n, k)?,
            bias,
            y: MatrixMut::new(result.as_mut_slice::<Y>()?, rows, columns)?,
        })
    });
    let mut products = products.collect::<Result<Vec<_>, _>>()?;
    block_linear(Isa::selected()?, &Workers::get(), activations, x, &mut products)?;
    Ok(())
}

/// As many kinds as there are weights.
fn kinds(names: &str, count: usize) -> Result<Vec<BlockKind>, HandlerError> {
    let kind = |name| {
        BlockKind::from_name(name)
            .ok_or_else(|| HandlerError::invalid(format!("unknown kind of blocks `{name}`")))
    };
    let kinds = names.split(',').map(kind).collect::<Result<Vec<_>, _>>()?;
    if kinds.len() == count {
        Ok(kinds)
    } else {
        Err(HandlerError::invalid(format!("{count} weights, but the kinds `{names}`")))
    }
}
