//! Common code of elementwise ops.

use super::broadcast::{align, broadcast};
use crate::{
    DType, Dims, Shape, ValueId,
    trace::{Builder, OpError, Rule},
};

/// The advice of error messages about arithmetic on `bool`.
pub(super) const CONVERT: &str = "`.convert(..)`";

pub(super) fn same_dtype(left: DType, right: DType) -> Rule<()> {
    match left == right {
        true => Ok(()),
        false => {
            Err(OpError(format!("element types {left} and {right} differ; use `.convert(..)`")))
        }
    }
}

/// Broadcasts operands to common axes.
pub(super) fn aligned<const N: usize>(
    builder: &mut Builder<'_>,
    values: [ValueId; N],
) -> Rule<[ValueId; N]> {
    let mut all = builder.shape(values[0]);
    for &value in &values[1..] {
        let next = builder.shape(value);
        all = all.with_dims(align(&all, &next)?);
    }
    let mut aligned = values;
    for value in &mut aligned {
        *value = broadcast(builder, *value, all.axes())?;
    }
    Ok(aligned)
}

/// The axes of aligned operands, whose sizes must be equal.
pub(super) fn common_axes(operands: &[Shape]) -> Rule<Dims> {
    let first = operands[0].axes();
    match operands.iter().find(|operand| operand.sizes() != first.sizes()) {
        Some(other) => Err(OpError(format!("{} and {other} differ in size", operands[0]))),
        None => Ok(first),
    }
}
