//! Special functions composed of other ops: the same on every platform, within the rounding of its
//! elementary functions.

mod bessel;
mod error_function;
mod gamma;
mod zeta;

pub(crate) use error_function::{NormalTail, erf_slope, erfc_scaled};

use crate::{DType, Tensor};

/// The polynomial with these coefficients, those of the highest power first, by Horner's rule.
#[track_caller]
fn polynomial(x: Tensor, coefficients: &[f64]) -> Tensor {
    let (&first, rest) = coefficients.split_first().expect("a polynomial has a coefficient");
    rest.iter().fold(x.full_like(first), |sum, &coefficient| sum * x + coefficient)
}

/// The coefficients for `f32`, or those for `f64`.
fn by_type<T>(x: Tensor, single: T, double: T) -> T
where
    T: Copy,
{
    if x.dtype() == DType::F64 { double } else { single }
}
