//! Common code of elementwise ops.

use super::broadcast::{align, broadcast};
use crate::{
    DType, Dims, Shape, Tensor, ValueId, custom_vjp,
    trace::{Builder, OpError, Rule},
};

/// The advice of error messages about arithmetic on `bool`.
pub(super) const CONVERT: &str = "`.convert(..)`";

pub(super) fn same_dtype(left: DType, right: DType) -> Rule<()> {
    if left == right {
        Ok(())
    } else {
        Err(OpError(format!("element types {left} and {right} differ; use `.convert(..)`")))
    }
}

/// `function` of x with `slope` of x as its derivative. For functions whose ops have no derivative
/// at some point (a tie), or would compute NaN there (a branch that overflows although it is not
/// selected).
#[track_caller]
pub(super) fn with_slope(
    x: Tensor,
    function: impl FnOnce(Tensor) -> Tensor,
    slope: impl FnOnce(Tensor) -> Tensor,
) -> Tensor {
    custom_vjp(x, |x| (function(x), x), |x, g| g * slope(x))
}

/// Broadcasts operands to common axes.
pub(super) fn aligned<const N: usize>(
    builder: &mut Builder<'_>,
    mut values: [ValueId; N],
) -> Rule<[ValueId; N]> {
    aligned_values(builder, &mut values)?;
    Ok(values)
}

/// As [`aligned`], for at least one operand.
pub(super) fn aligned_values(builder: &mut Builder<'_>, values: &mut [ValueId]) -> Rule<()> {
    let mut all = builder.shape(values[0]);
    for &value in &values[1..] {
        let next = builder.shape(value);
        all = all.with_dims(align(&all, &next)?);
    }
    // Among fully named operands, one that has as many axes as the result has all of them.
    if all.is_named() && values.iter().all(|&value| builder.shape(value).rank() < all.rank()) {
        let shapes: Vec<Shape> = values.iter().map(|&value| builder.shape(value)).collect();
        return Err(no_outer(&shapes, &all));
    }
    for value in values {
        *value = broadcast(builder, *value, all.axes())?;
    }
    Ok(())
}

/// The error about operands of which none has the axes of all others.
fn no_outer(operands: &[Shape], all: &Shape) -> OpError {
    let missing_in = |other: &Shape, one: &Shape| {
        let missing = other.names().iter().flatten().filter(|&&name| one.size(name).is_none());
        missing.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    };
    let what = match operands {
        [left, right] => {
            let (only_right, only_left) = (missing_in(right, left), missing_in(left, right));
            format!("{only_right} is only right, {only_left} only left")
        }
        operands => {
            let lacking = operands.iter().enumerate();
            let lacking =
                lacking.map(|(i, one)| format!("operand {i} lacks {}", missing_in(all, one)));
            lacking.collect::<Vec<_>>().join(", ")
        }
    };
    OpError(format!("{what}; rename one, or write `outer(..)`"))
}

/// The axes of aligned operands, whose sizes must be equal.
pub(super) fn common_axes(operands: &[Shape]) -> Rule<Dims> {
    let first = operands[0].axes();
    match operands.iter().find(|operand| operand.sizes() != first.sizes()) {
        Some(other) => Err(OpError(format!("{} and {other} differ in size", operands[0]))),
        None => Ok(first),
    }
}
