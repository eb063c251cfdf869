//! Conversions between element types.

use super::{FloatFormat, Number, highest, lowest};
use hloom_graph::DType;

/// Converts an element to the nearest one of another type.
///
/// Floats are rounded toward zero to integers and clamped to the range of the type, and NaN becomes
/// 0. Integers wrap around. Every value except 0 becomes true.
pub(crate) fn converted(from: DType, to: DType, bits: u128) -> u128 {
    if from == to {
        return bits;
    }
    match Number::decode(from, bits) {
        Number::Float(value) if to.is_int() => saturated(value, to).encode(to),
        Number::Int(value) if to == DType::F32 => (value as f32).to_bits().into(),
        Number::Int(value) if FloatFormat::of(to).is_some() => {
            Number::Float(rounded_to_odd(value)).encode(to)
        }
        number => number.encode(to),
    }
}

fn saturated(value: f64, to: DType) -> Number {
    let (low, high) = (lowest(to).int(), highest(to).int());
    // The conversion of a float to `i128` saturates, and takes NaN to 0.
    Number::Int((value as i128).clamp(low, high))
}

/// Converts an integer to a float that rounds to any shorter type as the integer does: if it is
/// inexact, its last bit is odd.
fn rounded_to_odd(value: i128) -> f64 {
    let nearest = value as f64;
    if nearest as i128 == value {
        return nearest;
    }
    let is_beyond = (nearest as i128).unsigned_abs() > value.unsigned_abs();
    let bits = nearest.to_bits() - u64::from(is_beyond);
    f64::from_bits(bits | 1)
}
