//! The Hurwitz zeta function and the derivatives of the digamma function.

use super::polynomial;
use crate::{
    Operand, Tensor,
    trace::{OpError, emit, function_scope},
};
use std::panic::Location;

/// The number of terms that are summed one by one.
const TERMS: u32 = 10;

/// The Bernoulli numbers B(2k) by the factorials (2k)!, from k = 1.
const BERNOULLI: [f64; 12] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3617.0 / 10_670_622_842_880_000.0,
    43867.0 / 5_109_094_217_170_944_000.0,
    -174_611.0 / 802_857_662_698_291_200_000.0,
    77683.0 / 14_101_100_039_391_805_440_000.0,
    -236_364_091.0 / 1_693_824_136_731_743_669_452_800_000.0,
];

#[hloom_derive::tensor_methods(zeta)]
impl Tensor {
    /// The Hurwitz zeta function of x and q, the sum of `(q + k)^-x` over k = 0, 1...: infinite at
    /// x = 1, NaN below; infinite where q is 0 or a negative integer, NaN at other q below 0.
    ///
    /// Composed by the Euler-Maclaurin formula ([DLMF 25.11.5](https://dlmf.nist.gov/25.11.E5))
    /// with 10 terms and 12 corrections. At most 8 ulps in `f32` and `f64` for x up to 30; the
    /// error of `pow` grows with x.
    #[track_caller]
    pub fn zeta(self, q: impl Operand) -> Tensor {
        let q = q.like(self);
        self.in_f32("zeta", |x| {
            let q = q.wide_like("zeta", self, x);
            let power = |base: Tensor| base.pow(-x);
            let mut sum = power(q);
            for k in 1..TERMS {
                sum = sum + power(q + k);
            }
            let end = q + TERMS;
            let inverse = end.ones_like() / end;
            let mut factor = x * inverse;
            let mut corrections = factor * BERNOULLI[0] + 0.5;
            for (k, &coefficient) in BERNOULLI.iter().enumerate().skip(1) {
                let k = 2 * k as u32;
                factor = factor * ((x + (k - 1)) * inverse) * ((x + k) * inverse);
                corrections = corrections + factor * coefficient;
            }
            // Computed by a power, not as the last term times its base, which may be 0 times
            // infinity.
            let rest = end.pow(x * -1 + 1) / (x - 1) + power(end) * corrections;
            // For large x the correction series diverges, and only the first terms matter.
            let total = x.gt(end * 6).select(sum, sum + rest);
            let pole = total.full_like(f64::INFINITY);
            let none = total.full_like(f64::NAN);
            let below = q.eq(q.floor()).select(pole, none);
            let total = q.le(0).select(below, total);
            let total = x.gt(1).select(total, x.eq(1).select(pole, none));
            (x.is_nan() | q.is_nan()).select(none, total)
        })
    }

    /// The derivative of order `order` of [`digamma`](Self::digamma), which itself has order 0;
    /// `order` is at most 100. Infinite at 0; NaN below 0, except for order 0.
    ///
    /// Composed as [`zeta`](Self::zeta) of `order + 1` and x, with products as powers. At most
    /// `order + 5` ulps in `f32` and `f64`.
    #[track_caller]
    pub fn polygamma(self, order: u32) -> Tensor {
        if order == 0 {
            return function_scope("polygamma", || self.digamma());
        }
        let checked = emit("polygamma", &[self], Location::caller(), |_, _, _| match order {
            0..=100 => Ok(()),
            _ => Err(OpError(format!("has orders up to 100, not {order}"))),
        });
        if checked.is_none() {
            return Tensor::poisoned();
        }
        self.in_f32("polygamma", |x| {
            let exponent = order + 1;
            let factorial: f64 = (1..=order).map(f64::from).product();
            // A power of two in each factor keeps products in range, where multiplying by the
            // factorial at once would overflow or underflow.
            let even = factorial.log2() / f64::from(exponent);
            let scales = [even.floor(), even.ceil()].map(|exponent| 2f64.powi(exponent as i32));
            let rests = scales.map(|scale| factorial / scale.powi(exponent as i32));
            let is_far = x.gt(30 + order);
            let [scale, rest] = [scales, rests]
                .map(|[near, far]| is_far.select(x.full_like(far), x.full_like(near)));
            let term = |base: Tensor| power(scale / base, exponent);
            let mut sum = term(x);
            for k in 1..TERMS {
                sum = sum + term(x + k);
            }
            let sum = is_far.select(x.zeros_like(), sum);
            let end = is_far.select(x, x + TERMS);
            let inverse = end.ones_like() / end;
            // Computed by a power, as above.
            let integral = power(scale / end, order) * (scale / f64::from(order));
            let total = sum + (integral + term(end) * corrections(inverse, exponent));
            let total = if exponent > 6 * TERMS {
                end.lt(f64::from(exponent) / 6.0).select(sum, total)
            } else {
                total
            };
            let value = total * rest;
            let signed = if order.is_multiple_of(2) { -value } else { value };
            x.lt(0).select(x.full_like(f64::NAN), signed)
        })
    }
}

/// The corrections of the integral of the terms from `end` on, divided by the first of them.
#[track_caller]
fn corrections(inverse: Tensor, exponent: u32) -> Tensor {
    let mut product = f64::from(exponent);
    let mut coefficients = vec![BERNOULLI[0] * product];
    for (k, &bernoulli) in BERNOULLI.iter().enumerate().skip(1) {
        let next = f64::from(exponent + 2 * k as u32);
        product *= (next - 1.0) * next;
        coefficients.push(bernoulli * product);
    }
    coefficients.reverse();
    polynomial(inverse * inverse, &coefficients) * inverse + 0.5
}

/// x to a power, by squares.
#[track_caller]
fn power(x: Tensor, exponent: u32) -> Tensor {
    let (mut result, mut square, mut left) = (None, x, exponent);
    while left > 0 {
        if left % 2 == 1 {
            result = Some(result.map_or(square, |result: Tensor| result * square));
        }
        left /= 2;
        if left > 0 {
            square = square * square;
        }
    }
    result.unwrap_or_else(|| x.ones_like())
}
