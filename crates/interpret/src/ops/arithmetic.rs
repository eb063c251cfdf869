//! Arithmetic that reductions, scatters, products and sorts have in common.

use crate::number::Number;
use hloom_graph::Reduction;
use std::cmp::Ordering;

/// Two numbers combined by a reduction, not yet rounded.
pub(crate) fn combined(reduction: Reduction, left: Number, right: Number) -> Number {
    match reduction {
        Reduction::Sum => sum(left, right),
        Reduction::Prod => product(left, right),
        Reduction::Max => extreme(left, right, Ordering::Greater),
        Reduction::Min => extreme(left, right, Ordering::Less),
        Reduction::Any => Number::truth(left.is_true() || right.is_true()),
        Reduction::All => Number::truth(left.is_true() && right.is_true()),
    }
}

pub(super) fn sum(left: Number, right: Number) -> Number {
    match (left, right) {
        (Number::Int(left), Number::Int(right)) => Number::Int(left.wrapping_add(right)),
        (Number::Float(left), Number::Float(right)) => Number::Float(left + right),
        (left, right) => Number::Complex(left.complex() + right.complex()),
    }
}

pub(super) fn product(left: Number, right: Number) -> Number {
    match (left, right) {
        (Number::Int(left), Number::Int(right)) => Number::Int(left.wrapping_mul(right)),
        (Number::Float(left), Number::Float(right)) => Number::Float(left * right),
        (left, right) => Number::Complex(left.complex() * right.complex()),
    }
}

/// The sum of products, not yet rounded.
pub(crate) fn sum_of_products(sum_: Number, left: Number, right: Number) -> Number {
    sum(sum_, product(left, right))
}

/// The larger (`Greater`) or smaller number; NaN if either is. Complex numbers are compared by
/// their real parts, then by their imaginary parts.
pub(super) fn extreme(left: Number, right: Number, wins: Ordering) -> Number {
    if is_nan(left) {
        return left;
    }
    if is_nan(right) {
        return right;
    }
    match (left, right) {
        // The positive zero is larger than the negative one.
        (Number::Float(x), Number::Float(y)) => {
            if x.total_cmp(&y) == wins {
                left
            } else {
                right
            }
        }
        _ => {
            if compared(left, right) == Some(wins) {
                left
            } else {
                right
            }
        }
    }
}

fn is_nan(number: Number) -> bool {
    match number {
        Number::Int(_) => false,
        Number::Float(value) => value.is_nan(),
        Number::Complex(value) => value.re.is_nan() || value.im.is_nan(),
    }
}

/// The order of two numbers; `None` if either is NaN. Complex numbers are ordered by parts.
pub(crate) fn compared(left: Number, right: Number) -> Option<Ordering> {
    match (left, right) {
        (Number::Int(left), Number::Int(right)) => Some(left.cmp(&right)),
        (Number::Complex(left), Number::Complex(right)) => {
            let by_real = left.re.partial_cmp(&right.re)?;
            Some(by_real.then(left.im.partial_cmp(&right.im)?))
        }
        (left, right) => left.real().partial_cmp(&right.real()),
    }
}

/// The order of sorts: both zeros are equal, NaN is the largest number, and all NaNs are equal.
pub(crate) fn total_order(left: Number, right: Number) -> Ordering {
    match (is_nan(left), is_nan(right)) {
        (false, false) => compared(left, right).unwrap_or(Ordering::Equal),
        (left, right) => left.cmp(&right),
    }
}
