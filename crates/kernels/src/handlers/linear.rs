//! The handler of matmuls with stored weights.

use super::matrix_of;
use crate::{Element, Isa, Linear, Matrix, MatrixMut, Workers, linear};
use half::{bf16, f16};
use hloom_ffi::{CallFrame, DType, Element as HostElement, Handler, HandlerError, Output};

/// The handler `hloom.linear.v1`.
///
/// Operands: `x`, `[.., k]`; the weights, each `[n, k]` with its own `n`; then, optionally, as many
/// biases, each `[n]`. Results: for each weight `[.., n]`. All weights are of one type, `f32`,
/// `bf16` or `f16`, which is the type of `x` unless that is `f32`; all results and biases are of
/// one type, `f32` or that of `x`.
pub struct LinearHandler;

impl LinearHandler {
    /// The target name of custom calls.
    pub const TARGET: &str = "hloom.linear.v1";
}

impl Handler for LinearHandler {
    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        let dtypes = [frame.argument(0)?.dtype(), frame.argument(1)?.dtype()];
        match dtypes {
            [DType::F32, DType::F32] => with_operands::<f32, f32>(frame),
            [DType::F32, DType::BF16] => with_operands::<f32, bf16>(frame),
            [DType::F32, DType::F16] => with_operands::<f32, f16>(frame),
            [DType::BF16, DType::BF16] => with_operands::<bf16, bf16>(frame),
            [DType::F16, DType::F16] => with_operands::<f16, f16>(frame),
            [x, weight] => Err(HandlerError::invalid(format!("no product of {x} and {weight}"))),
        }
    }
}

fn with_operands<X: Element + HostElement, W: Element + HostElement>(
    frame: &CallFrame<'_>,
) -> Result<(), HandlerError> {
    let mut results =
        (0..frame.num_results()).map(|index| frame.result(index)).collect::<Result<Vec<_>, _>>()?;
    match results.first().map(|result| result.dtype()) {
        None => Ok(()),
        Some(DType::F32) => call::<X, W, f32>(frame, &mut results),
        Some(dtype) if dtype == <X as HostElement>::DTYPE => call::<X, W, X>(frame, &mut results),
        Some(other) => Err(HandlerError::invalid(format!(
            "the result: expected f32 or the type of x, found {other}"
        ))),
    }
}

fn call<X: Element + HostElement, W: Element + HostElement, Y: Element + HostElement>(
    frame: &CallFrame<'_>,
    results: &mut [Output<'_>],
) -> Result<(), HandlerError> {
    let count = results.len();
    let has_bias = super::has_biases(frame.num_arguments(), count)?;
    let x = frame.argument(0)?;
    let (rows, k) = matrix_of(x.dims())?;
    let x = Matrix::new(x.as_slice::<X>()?, rows, k)?;
    let products = results.iter_mut().enumerate().map(|(index, result)| {
        let weight = frame.argument(1 + index)?;
        let (n, k) = matrix_of(weight.dims())?;
        let bias =
            if has_bias { Some(frame.argument(1 + count + index)?.as_slice::<Y>()?) } else { None };
        let (rows, columns) = matrix_of(result.dims())?;
        Ok::<_, HandlerError>(Linear {
            weight: Matrix::new(weight.as_slice::<W>()?, n, k)?,
            bias,
            y: MatrixMut::new(result.as_mut_slice::<Y>()?, rows, columns)?,
        })
    });
    let mut products = products.collect::<Result<Vec<_>, _>>()?;
    linear(Isa::selected()?, &Workers::get(), x, &mut products)?;
    Ok(())
}
