//! Powers of integers.

use super::{comparison, reduce_to};
use crate::{
    attribute::Number,
    lowering::{Applied, Lowering, results},
};
use hloom_graph::{DType, Direction, PerAxis, Reduction, Scalar, Shape};
use melior::ir::Value;

/// Powers by squaring, over all bits of the exponents: XLA's own look at the lowest six. A negative exponent divides 1 by the power,
/// towards 0: that is the power where the base is 1 or -1, and 0 elsewhere.
pub(crate) fn integer_power<'a>(l: &mut Lowering<'a>, n: &Applied<'a>) -> Value<'a, 'a> {
    if let Some(exponent) = n.known(1).and_then(natural) {
        return known_power(l, n.operands[0], &n.result(), exponent);
    }
    let (shape, dtype) = (n.result(), n.result().dtype());
    let [base, exponent] = [n.operands[0], n.operands[1]];
    let r#type = l.types.tensor(&shape);
    let truth = l.types.tensor(&shape.with_dtype(DType::Bool));
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
    let negative = exponent.dtype().is_signed_int() && bytes.last().is_some_and(|byte| byte >> 7 == 1);
    (!negative).then(|| u64::from_le_bytes(wide))
}

fn known_power<'a>(l: &Lowering<'a>, base: Value<'a, 'a>, shape: &Shape, mut exponent: u64) -> Value<'a, 'a> {
    let product = |a, b| l.op("stablehlo.multiply", &[a, b], l.types.tensor(shape), &[]);
    let (mut power, mut square) = (None, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = Some(power.map_or(square, |power| product(power, square)));
        }
        exponent >>= 1;
        if exponent > 0 {
            square = product(square, square);
        }
    }
    power.unwrap_or_else(|| l.full(shape, Number::Int(1)))
}

/// A loop over the bits of the largest exponent, none of which is negative; it carries the power so far, the base squared as often,
/// the exponents' bits that are left, and those of the largest.
fn squarings<'a>(l: &mut Lowering<'a>, shape: &Shape, [one, base, exponent]: [Value<'a, 'a>; 3]) -> Value<'a, 'a> {
    let (dtype, scalar) = (shape.dtype(), Shape::scalar(shape.dtype()));
    let zero = l.scalar(dtype, Number::Int(0));
    let axes = PerAxis::collect(0..shape.rank());
    let largest = match shape.rank() {
        0 => exponent,
        _ => reduce_to(l, Reduction::Max, &axes, [exponent, zero], &scalar),
    };
    let [many, single] = [shape, &scalar].map(|shape| l.types.tensor(shape));
    let carried = [many, many, many, single];
    let regions = vec![l.empty_region(&carried), l.empty_region(&carried)];
    let operation = l.operation(
        "stablehlo.while",
        &[one, base, exponent, largest],
        &carried,
        &[],
        regions,
    );
    l.fill(operation, 0, |l| {
        let zero = l.scalar(dtype, Number::Int(0));
        let truth = l.types.scalar(DType::Bool);
        let largest = l.argument(3);
        vec![comparison(l, Direction::Ne, dtype, [largest, zero], truth)]
    });
    l.fill(operation, 1, |l| {
        let [power, square, left, largest] = [0, 1, 2, 3].map(|position| l.argument(position));
        let truth = l.types.tensor(&shape.with_dtype(DType::Bool));
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
    results(operation)[0]
}
