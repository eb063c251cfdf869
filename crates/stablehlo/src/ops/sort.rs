//! Sorting.

use super::{comparison, elementwise::compare_as};
use crate::{
    attribute::{Attribute, Number},
    emit::Value,
    lowering::{Applied, Lowering},
    types::Type,
};
use hloom_graph::{DType, Direction, Shape};

pub(crate) fn sort(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    axis: usize,
    descending: bool,
) -> Vec<Value> {
    // Plugins do not sort sub-byte elements together with others.
    let shapes: Vec<Shape> =
        n.results().map(|shape| shape.with_dtype(whole_bytes(shape.dtype()))).collect();
    let operands = n.operands.iter().zip(n.results()).zip(&shapes);
    let operands: Vec<_> = operands.map(|((&x, from), &to)| converted(l, x, from, to)).collect();
    let types: Vec<_> = shapes.iter().map(Type::from).collect();
    let parameters: Vec<_> =
        shapes.iter().flat_map(|shape| [Type::scalar(shape.dtype()); 2]).collect();
    let dtype = shapes[0].dtype();
    let compare = l.region(&parameters, |l, arguments| {
        let truth = Type::scalar(DType::Bool);
        let operands = [arguments[0], arguments[1]];
        vec![match dtype.is_float() {
            true => {
                // The total order compares signs and magnitudes: in some 8-bit types, NaN has the
                // bits of a negative number, or the highest bit is not a sign.
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
    let attributes = [("dimension", Attribute::i64(axis)), ("is_stable", Attribute::Bool(true))];
    let sorted = l.operation("stablehlo.sort", &operands, &types, &attributes, vec![compare]);
    let sorted = sorted.iter().zip(n.results().zip(&shapes));
    sorted.map(|(value, (to, from))| converted(l, value, *from, to)).collect()
}

pub(crate) fn top_k(l: &mut Lowering<'_>, n: &Applied<'_>, k: usize) -> Vec<Value> {
    let types: Vec<_> = n.results().map(Type::from).collect();
    l.operation("chlo.top_k", &n.operands, &types, &[("k", Attribute::i64(k))], Vec::new()).to_vec()
}

/// A type of at least a byte that holds the elements of another, in the same order.
pub(super) fn whole_bytes(dtype: DType) -> DType {
    match dtype {
        DType::I2 | DType::I4 => DType::I8,
        DType::U2 | DType::U4 => DType::U8,
        DType::F4E2M1FN => DType::BF16,
        dtype => dtype,
    }
}

/// Converts the elements to another type, if necessary.
pub(super) fn converted(l: &mut Lowering<'_>, x: Value, from: Shape, to: Shape) -> Value {
    match from.dtype() == to.dtype() {
        true => x,
        false => l.op("stablehlo.convert", &[x], to, &[]),
    }
}

/// The total order of floats distinguishes -0 from 0 and NaNs from each other; this makes them
/// equal, with NaN the largest.
fn without_variants(l: &mut Lowering<'_>, dtype: DType, x: Value) -> Value {
    let (scalar, truth) = (Type::scalar(dtype), Type::scalar(DType::Bool));
    let zero = l.scalar(dtype, Number::Int(0));
    let is_zero = comparison(l, Direction::Eq, dtype, [x, zero], truth);
    let x = l.op("stablehlo.select", &[is_zero, zero, x], scalar, &[]);
    let nan = l.scalar(dtype, Number::Float(f64::NAN));
    let is_nan = comparison(l, Direction::Ne, dtype, [x, x], truth);
    l.op("stablehlo.select", &[is_nan, nan, x], scalar, &[])
}
