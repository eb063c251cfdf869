//! Elementwise functions of two numbers.

use super::arithmetic::{extreme, product, sum};
use crate::number::{Complex, Number};
use hloom_graph::{Binary, DType};
use std::cmp::Ordering;

/// A function of two numbers of type `dtype`, not yet rounded.
pub(crate) fn apply(function: Binary, dtype: DType, left: Number, right: Number) -> Number {
    match function {
        Binary::Add if dtype == DType::Bool => Number::truth(left.is_true() || right.is_true()),
        Binary::Add => sum(left, right),
        Binary::Mul => product(left, right),
        Binary::Maximum => extreme(left, right, Ordering::Greater),
        Binary::Minimum => extreme(left, right, Ordering::Less),
        Binary::Complex => Number::Complex(Complex::new(left.real(), right.real())),
        _ => match (left, right) {
            (Number::Int(left), Number::Int(right)) => {
                Number::Int(of_integers(function, dtype, left, right))
            }
            (Number::Complex(left), Number::Complex(right)) => {
                Number::Complex(of_complex(function, left, right))
            }
            (left, right) => Number::Float(of_floats(function, dtype, left.real(), right.real())),
        },
    }
}

/// Division by zero returns all bits set, and the remainder is then the dividend. The quotient of
/// the lowest number by -1 wraps around.
fn of_integers(function: Binary, dtype: DType, left: i128, right: i128) -> i128 {
    let bits = dtype.bits() as i128;
    // A shift by the width or more shifts all bits out; the distance is unsigned.
    let distance = Number::Int(right).encode(dtype).min(127) as i128;
    let is_far = distance >= bits;
    match function {
        Binary::Sub => left.wrapping_sub(right),
        Binary::Div if right == 0 => -1,
        Binary::Div => left.wrapping_div(right),
        Binary::Rem if right == 0 => left,
        Binary::Rem => left.wrapping_rem(right),
        Binary::Pow => power(dtype, left, right),
        Binary::And => left & right,
        Binary::Or => left | right,
        Binary::Xor => left ^ right,
        Binary::ShiftLeft | Binary::ShiftRightLogical if is_far => 0,
        Binary::ShiftLeft => left << distance,
        Binary::ShiftRightLogical => (Number::Int(left).encode(dtype) >> distance) as i128,
        Binary::ShiftRightArithmetic => {
            // The sign is the highest bit, also of unsigned types.
            let width = 128 - dtype.bits();
            let signed = (left << width) >> width;
            if is_far { signed >> 127 } else { signed >> distance }
        }
        // `apply` computes these, or the shape rules refuse integers.
        Binary::Add
        | Binary::Mul
        | Binary::Maximum
        | Binary::Minimum
        | Binary::Complex
        | Binary::Atan2
        | Binary::NextAfter => left,
    }
}

/// The power, which wraps around. A negative exponent divides 1 by the power, rounded toward zero.
fn power(dtype: DType, base: i128, exponent: i128) -> i128 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 if exponent % 2 == 0 => 1,
            -1 => -1,
            _ => 0,
        };
    }
    let mut rest = exponent;
    let (mut result, mut square) = (1i128, base);
    while rest > 0 {
        if rest & 1 == 1 {
            result = Number::Int(result.wrapping_mul(square)).stored(dtype).int();
        }
        square = Number::Int(square.wrapping_mul(square)).stored(dtype).int();
        rest >>= 1;
    }
    result
}

fn of_floats(function: Binary, dtype: DType, left: f64, right: f64) -> f64 {
    match function {
        Binary::Sub => left - right,
        Binary::Div => left / right,
        Binary::Rem => left % right,
        Binary::Pow => left.powf(right),
        Binary::Atan2 => left.atan2(right),
        Binary::NextAfter => next_after(dtype, left, right),
        // `apply` computes these, or the shape rules refuse floats.
        Binary::Add
        | Binary::Mul
        | Binary::Maximum
        | Binary::Minimum
        | Binary::Complex
        | Binary::And
        | Binary::Or
        | Binary::Xor
        | Binary::ShiftLeft
        | Binary::ShiftRightArithmetic
        | Binary::ShiftRightLogical => left,
    }
}

/// The next number of the type after `from` towards `to`.
fn next_after(dtype: DType, from: f64, to: f64) -> f64 {
    if from.is_nan() || to.is_nan() {
        return f64::NAN;
    }
    if from == to {
        return to;
    }
    if from == 0.0 {
        return Number::decode(dtype, 1).real().copysign(to);
    }
    let bits = Number::Float(from).encode(dtype);
    // The bits of magnitudes have the order of the magnitudes.
    let is_away = (to > from) == (from > 0.0);
    Number::decode(dtype, if is_away { bits + 1 } else { bits - 1 }).real()
}

fn of_complex(function: Binary, left: Complex, right: Complex) -> Complex {
    match function {
        Binary::Sub => left - right,
        Binary::Div => left / right,
        Binary::Pow => left.pow(right),
        Binary::Atan2 => left.atan2(right),
        // `apply` computes these, or the shape rules refuse complex numbers.
        Binary::Add
        | Binary::Mul
        | Binary::Rem
        | Binary::Maximum
        | Binary::Minimum
        | Binary::Complex
        | Binary::NextAfter
        | Binary::And
        | Binary::Or
        | Binary::Xor
        | Binary::ShiftLeft
        | Binary::ShiftRightArithmetic
        | Binary::ShiftRightLogical => left,
    }
}
