//! Inclusive prefix reductions.

use super::reduce::{combiner, identity};
use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
    types::Type,
};
use hloom_graph::{DType, Reduction, Shape, op::Cumulative};

impl Lower for Cumulative {
    type Results = Value;

    /// A reduce window from each element back to the start. Sums and products of floats below 32
    /// bits are computed in `f32`, as in reductions.
    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let Cumulative { reduction, axis } = *self;
        let shape = n.result();
        let narrow = shape.dtype().is_float() && shape.dtype().bits() < 32;
        if !(narrow && matches!(reduction, Reduction::Sum | Reduction::Prod)) {
            return window(l, n.operands[0], shape, reduction, axis);
        }
        let wide = shape.with_dtype(DType::F32);
        let x = l.op("stablehlo.convert", &n.operands, wide, &[]);
        let x = window(l, x, wide, reduction, axis);
        l.op("stablehlo.convert", &[x], shape, &[])
    }
}

fn window(
    l: &mut Lowering<'_>,
    x: Value,
    shape: Shape,
    reduction: Reduction,
    axis: usize,
) -> Value {
    let size = shape.sizes()[axis];
    if size == 0 {
        return x;
    }
    let start = l.scalar(shape.dtype(), identity(reduction, shape.dtype()));
    let scalar = Type::scalar(shape.dtype());
    let along = |i: usize, value: usize, other: usize| if i == axis { value } else { other };
    let window: Vec<usize> = (0..shape.rank()).map(|i| along(i, size, 1)).collect();
    let padding: Vec<(usize, usize)> =
        (0..shape.rank()).map(|i| (along(i, size - 1, 0), 0)).collect();
    let combine = l.region(&[scalar, scalar], |l, operands| {
        vec![l.op(combiner(reduction), operands, scalar, &[])]
    });
    let windows = l.operation(
        "stablehlo.reduce_window",
        &[x, start],
        &[Type::from(shape)],
        &[("window_dimensions", Attribute::i64s(&window)), ("padding", Attribute::pairs(&padding))],
        vec![combine],
    );
    windows.at(0)
}
