//! Order.

use super::{comparison, elementwise::compare_as};
use crate::{
    attribute::Number,
    lowering::{Applied, Lowering, result},
};
use hloom_graph::{DType, Direction, Shape};
use melior::ir::Value;

pub(crate) fn sort<'a>(l: &mut Lowering<'a>, n: &Applied<'a>, axis: usize, descending: bool) -> Vec<Value<'a, 'a>> {
    // Plugins do not sort elements below a byte beside others.
    let shapes: Vec<Shape> = n
        .results()
        .map(|shape| shape.with_dtype(whole_bytes(shape.dtype())))
        .collect();
    let operands = n.operands.iter().zip(n.results()).zip(&shapes);
    let operands: Vec<_> = operands.map(|((&x, from), &to)| converted(l, x, from, to)).collect();
    let types: Vec<_> = shapes.iter().map(|shape| l.types.tensor(shape)).collect();
    let parameters: Vec<_> = shapes
        .iter()
        .flat_map(|shape| [l.types.scalar(shape.dtype()); 2])
        .collect();
    let operation = l.operation(
        "stablehlo.sort",
        &operands,
        &types,
        &[("dimension", l.i64(axis)), ("is_stable", l.bool(true))],
        vec![l.empty_region(&parameters)],
    );
    let dtype = shapes[0].dtype();
    l.fill(operation, 0, |l| {
        let truth = l.types.scalar(DType::Bool);
        let operands = [l.argument(0), l.argument(1)];
        vec![match dtype.is_float() {
            true => {
                // The total order is that of signs and magnitudes: in some types of 8 bits, NaN has the bits of a negative number,
                // or the highest bit is no sign.
                let wide = if dtype.bits() == 8 { DType::BF16 } else { dtype };
                let (from, to) = (Shape::scalar(dtype), Shape::scalar(wide));
                let operands = operands.map(|operand| converted(l, operand, from, to));
                let operands = operands.map(|operand| without_variants(l, wide, operand));
                compare_as(l, if descending { "GT" } else { "LT" }, "TOTALORDER", operands, truth)
            }
            false => {
                let direction = if descending { Direction::Gt } else { Direction::Lt };
                comparison(l, direction, dtype, operands, truth)
            }
        }]
    });
    let sorted = n.results().zip(&shapes).enumerate();
    sorted
        .map(|(position, (to, from))| converted(l, result(operation, position), *from, to))
        .collect()
}

pub(crate) fn top_k<'a>(l: &Lowering<'a>, n: &Applied<'a>, k: usize) -> Vec<Value<'a, 'a>> {
    let types: Vec<_> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    let operation = l.operation("chlo.top_k", &n.operands, &types, &[("k", l.i64(k))], Vec::new());
    (0..types.len()).map(|position| result(operation, position)).collect()
}

/// The type of at least a byte that holds the elements of another, in their order.
pub(super) fn whole_bytes(dtype: DType) -> DType {
    match dtype {
        DType::I2 | DType::I4 => DType::I8,
        DType::U2 | DType::U4 => DType::U8,
        DType::F4E2M1FN => DType::BF16,
        dtype => dtype,
    }
}

/// The elements in another type, if they are not.
pub(super) fn converted<'a>(l: &Lowering<'a>, x: Value<'a, 'a>, from: Shape, to: Shape) -> Value<'a, 'a> {
    match from.dtype() == to.dtype() {
        true => x,
        false => l.op("stablehlo.convert", &[x], l.types.tensor(&to), &[]),
    }
}

/// The total order of floats tells -0 from 0 and NaNs from each other; here they are made equal, NaN being the largest.
fn without_variants<'a>(l: &mut Lowering<'a>, dtype: DType, x: Value<'a, 'a>) -> Value<'a, 'a> {
    let (scalar, truth) = (l.types.scalar(dtype), l.types.scalar(DType::Bool));
    let zero = l.scalar(dtype, Number::Int(0));
    let is_zero = comparison(l, Direction::Eq, dtype, [x, zero], truth);
    let x = l.op("stablehlo.select", &[is_zero, zero, x], scalar, &[]);
    let nan = l.scalar(dtype, Number::Float(f64::NAN));
    let is_nan = comparison(l, Direction::Ne, dtype, [x, x], truth);
    l.op("stablehlo.select", &[is_nan, nan, x], scalar, &[])
}
