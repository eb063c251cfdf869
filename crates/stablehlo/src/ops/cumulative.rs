//! Inclusive prefix reductions.

use super::reduce::{combiner, identity};
use crate::{
    applied::Applied,
    attribute::{Attribute, Number},
    emit::Value,
    lower::Lower,
    lowering::Lowering,
    types::Type,
};
use hloom_graph::{DType, Reduction, Shape, op::Cumulative};

impl Lower for Cumulative {
    type Results = Value;

    /// A reduce window from each element back to the start. Sums and products of floats below 32
    /// bits are computed in `f32`, as in reductions.
    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let shape = n.result();
        let narrow = shape.dtype().is_float() && shape.dtype().bits() < 32;
        if !(narrow && matches!(self.reduction, Reduction::Sum | Reduction::Prod)) {
            return reduced(l, n.operands[0], shape, *self);
        }
        let wide = shape.with_dtype(DType::F32);
        let x = l.op("stablehlo.convert", &n.operands, wide, &[]);
        let x = reduced(l, x, wide, *self);
        l.op("stablehlo.convert", &[x], shape, &[])
    }
}

fn reduced(l: &mut Lowering<'_>, x: Value, shape: Shape, op: Cumulative) -> Value {
    let start = identity(op.reduction, shape.dtype());
    let scalar = Type::scalar(shape.dtype());
    prefixes(l, x, shape, op.axis, start, |l, operands| {
        l.op(combiner(op.reduction), &operands, scalar, &[])
    })
}

/// The inclusive prefix reductions of `x`, of this shape, along an axis: a window from each element
/// back to the start. `combine` is associative and `start` its identity.
pub(super) fn prefixes(
    l: &mut Lowering<'_>,
    x: Value,
    shape: Shape,
    axis: usize,
    start: Number,
    combine: impl FnOnce(&mut Lowering<'_>, [Value; 2]) -> Value,
) -> Value {
    let size = shape.sizes()[axis];
    if size == 0 {
        return x;
    }
    let start = l.scalar(shape.dtype(), start);
    let scalar = Type::scalar(shape.dtype());
    let along = |i: usize, value: usize, other: usize| if i == axis { value } else { other };
    let window: Vec<usize> = (0..shape.rank()).map(|i| along(i, size, 1)).collect();
    let padding: Vec<(usize, usize)> =
        (0..shape.rank()).map(|i| (along(i, size - 1, 0), 0)).collect();
    let combine =
        l.region(&[scalar, scalar], |l, operands| vec![combine(l, [operands[0], operands[1]])]);
    let windows = l.operation(
        "stablehlo.reduce_window",
        &[x, start],
        &[Type::from(shape)],
        &[("window_dimensions", Attribute::i64s(&window)), ("padding", Attribute::pairs(&padding))],
        vec![combine],
    );
    windows.at(0)
}
