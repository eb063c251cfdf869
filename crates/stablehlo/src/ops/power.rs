//! Powers of integers.

use super::{comparison, reduce_to};
use crate::{
    attribute::Number,
    emit::Value,
    lowering::{Applied, Lowering},
    types::Type,
};
use hloom_graph::{DType, Direction, PerAxis, Reduction, Scalar, Shape};

/// Powers by squaring, over all bits of the exponents: XLA's own uses only the lowest six. A
/// negative exponent returns 1 divided by the power, rounded toward 0: the power itself if the base
/// is 1 or -1, else 0.
pub(crate) fn integer_power(l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
    if let Some(exponent) = n.known(1).and_then(natural) {
        return known_power(l, n.operands[0], &n.result(), exponent);
    }
    let (shape, dtype) = (n.result(), n.result().dtype());
    let [base, exponent] = [n.operands[0], n.operands[1]];
    let r#type = Type::from(shape);
    let truth = Type::from(shape.with_dtype(DType::Bool));
    let (zero, one) = (l.full(&shape, Number::Int(0)), l.full(&shape, Number::Int(1)));
    if dtype.is_unsigned_int() {
        return squarings(l, &shape, [one, base, exponent]);
    }
    let natural = l.op("stablehlo.maximum", &[exponent, zero], r#type, &[]);
    let power = squarings(l, &shape, [one, base, natural]);
    let is_negative = comparison(l, Direction::Lt, dtype, [exponent, zero], truth);
    // 1 and -1 are their own reciprocals: the lowest bit of the exponent decides.
    let size = l.op("stablehlo.abs", &[base], r#type, &[]);
    let is_unit = comparison(l, Direction::Eq, dtype, [size, one], truth);
    let odd = l.op("stablehlo.and", &[exponent, one], r#type, &[]);
    let is_odd = comparison(l, Direction::Ne, dtype, [odd, zero], truth);
    let unit = l.op("stablehlo.select", &[is_odd, base, one], r#type, &[]);
    let quotient = l.op("stablehlo.select", &[is_unit, unit, zero], r#type, &[]);
    l.op("stablehlo.select", &[is_negative, quotient, power], r#type, &[])
}

/// The exponent as a number, if it is not negative.
fn natural(exponent: &Scalar) -> Option<u64> {
    let bytes = exponent.bytes();
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let negative =
        exponent.dtype().is_signed_int() && bytes.last().is_some_and(|byte| byte >> 7 == 1);
    (!negative).then(|| u64::from_le_bytes(wide))
}

fn known_power(l: &mut Lowering<'_>, base: Value, shape: &Shape, mut exponent: u64) -> Value {
    let product = |l: &mut Lowering<'_>, a, b| l.op("stablehlo.multiply", &[a, b], shape, &[]);
    let (mut power, mut square) = (None, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = Some(power.map_or(square, |power| product(l, power, square)));
        }
        exponent >>= 1;
        if exponent > 0 {
            square = product(l, square, square);
        }
    }
    power.unwrap_or_else(|| l.full(shape, Number::Int(1)))
}

/// A loop over the bits of the largest exponent; no exponent is negative. It carries the power so
/// far, the base squared as often, the remaining bits of the exponents, and those of the largest
/// one.
fn squarings(l: &mut Lowering<'_>, shape: &Shape, [one, base, exponent]: [Value; 3]) -> Value {
    let (dtype, scalar) = (shape.dtype(), Shape::scalar(shape.dtype()));
    let zero = l.scalar(dtype, Number::Int(0));
    let axes = PerAxis::collect(0..shape.rank());
    let largest = match shape.rank() {
        0 => exponent,
        _ => reduce_to(l, Reduction::Max, &axes, [exponent, zero], &scalar),
    };
    let [many, single] = [shape, &scalar].map(Type::from);
    let carried = [many, many, many, single];
    let cond = l.region(&carried, |l, arguments| {
        let zero = l.scalar(dtype, Number::Int(0));
        let truth = Type::scalar(DType::Bool);
        vec![comparison(l, Direction::Ne, dtype, [arguments[3], zero], truth)]
    });
    let body = l.region(&carried, |l, arguments| {
        let [power, square, left, largest] = [0, 1, 2, 3].map(|position| arguments[position]);
        let truth = Type::from(shape.with_dtype(DType::Bool));
        let (zero, one) = (l.full(shape, Number::Int(0)), l.full(shape, Number::Int(1)));
        let bit = l.op("stablehlo.and", &[left, one], many, &[]);
        let is_set = comparison(l, Direction::Ne, dtype, [bit, zero], truth);
        let product = l.op("stablehlo.multiply", &[power, square], many, &[]);
        let power = l.op("stablehlo.select", &[is_set, product, power], many, &[]);
        let square = l.op("stablehlo.multiply", &[square, square], many, &[]);
        let left = l.op("stablehlo.shift_right_logical", &[left, one], many, &[]);
        let step = l.scalar(dtype, Number::Int(1));
        let largest = l.op("stablehlo.shift_right_logical", &[largest, step], single, &[]);
        vec![power, square, left, largest]
    });
    let operands = [one, base, exponent, largest];
    l.operation("stablehlo.while", &operands, &carried, &[], vec![cond, body]).at(0)
}
