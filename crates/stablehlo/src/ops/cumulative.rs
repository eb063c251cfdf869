//! Each element combined with all before it.

use super::{combiner, identity};
use crate::lowering::{Applied, Lowering, result};
use hloom_graph::{DType, Reduction, Shape};
use melior::ir::Value;

/// A window that reaches from each element back to the start. Sums and products of floats below 32 bits are made in `f32`, as
/// reductions make them.
pub(crate) fn cumulative<'a>(
    l: &mut Lowering<'a>,
    n: &Applied<'a>,
    reduction: Reduction,
    axis: usize,
) -> Value<'a, 'a> {
    let shape = n.result();
    let narrow = shape.dtype().is_float() && shape.dtype().bits() < 32;
    if !(narrow && matches!(reduction, Reduction::Sum | Reduction::Prod)) {
        return window(l, n.operands[0], shape, reduction, axis);
    }
    let wide = shape.with_dtype(DType::F32);
    let x = l.op("stablehlo.convert", &n.operands, l.types.tensor(&wide), &[]);
    let x = window(l, x, wide, reduction, axis);
    l.op("stablehlo.convert", &[x], l.types.tensor(&shape), &[])
}

fn window<'a>(
    l: &mut Lowering<'a>,
    x: Value<'a, 'a>,
    shape: Shape,
    reduction: Reduction,
    axis: usize,
) -> Value<'a, 'a> {
    let size = shape.sizes()[axis];
    if size == 0 {
        return x;
    }
    let start = l.scalar(shape.dtype(), identity(reduction, shape.dtype()));
    let scalar = l.types.scalar(shape.dtype());
    let along = |i: usize, value: usize, other: usize| if i == axis { value } else { other };
    let window: Vec<usize> = (0..shape.rank()).map(|i| along(i, size, 1)).collect();
    let padding: Vec<(usize, usize)> = (0..shape.rank()).map(|i| (along(i, size - 1, 0), 0)).collect();
    let operation = l.operation(
        "stablehlo.reduce_window",
        &[x, start],
        &[l.types.tensor(&shape)],
        &[("window_dimensions", l.i64s(&window)), ("padding", l.pairs(&padding))],
        vec![l.empty_region(&[scalar, scalar])],
    );
    l.fill(operation, 0, |l| {
        let (left, right) = (l.argument(0), l.argument(1));
        vec![l.op(combiner(reduction), &[left, right], scalar, &[])]
    });
    result(operation, 0)
}
