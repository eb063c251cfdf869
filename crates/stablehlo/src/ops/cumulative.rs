//! Each element combined with all before it.

use super::{combiner, identity};
use crate::lowering::{Applied, Lowering, result};
use hloom_graph::Reduction;
use melior::ir::Value;

/// A window that reaches from each element back to the start.
pub(crate) fn cumulative<'a>(
    l: &mut Lowering<'a>,
    n: &Applied<'a>,
    reduction: Reduction,
    axis: usize,
) -> Value<'a, 'a> {
    let shape = n.result();
    let size = shape.sizes()[axis];
    if size == 0 {
        return n.operands[0];
    }
    let start = l.scalar(shape.dtype(), identity(reduction, shape.dtype()));
    let scalar = l.types.scalar(shape.dtype());
    let along = |i: usize, value: usize, other: usize| if i == axis { value } else { other };
    let window: Vec<usize> = (0..shape.rank()).map(|i| along(i, size, 1)).collect();
    let padding: Vec<(usize, usize)> = (0..shape.rank()).map(|i| (along(i, size - 1, 0), 0)).collect();
    let operation = l.operation(
        "stablehlo.reduce_window",
        &[n.operands[0], start],
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
