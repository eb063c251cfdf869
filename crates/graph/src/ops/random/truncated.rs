//! Normally distributed numbers between limits.

use super::{
    Key,
    distribution::normal_of,
    uniform::{drawn_in, fitted},
};
use crate::{
    DType, IntoDims, Op, Operand, Tensor,
    ops::{Splat, erfc_scaled},
    trace::emit,
};
use std::{f64::consts::SQRT_2, panic::Location};

#[hloom_derive::tensor_methods(truncated)]
impl Key {
    /// Normally distributed numbers between `lower` and `upper`, which are excluded: numbers, or
    /// tensors that broadcast to `dims`.
    ///
    /// They are drawn as in JAX, by the inverse of the error function. Its arguments are too close
    /// to 1 where both limits are on one side of 0 and beyond 2 in `f32` or 4 in `f64`: such
    /// numbers are drawn from the tail by its logarithm, at any distance.
    #[track_caller]
    pub fn truncated_normal(
        self,
        dtype: DType,
        dims: impl IntoDims,
        lower: impl Operand,
        upper: impl Operand,
    ) -> Tensor {
        self.draw("truncated_normal", dtype, dims, |dims| {
            let elements = Tensor::zeros(dtype, dims);
            let (lower, upper) = (fitted(lower, elements), fitted(upper, elements));
            let wide = drawn_in(dtype);
            let limits = [lower, upper].map(|limit| limit.convert(wide));
            let normal = match is_tail(limits, known(lower), known(upper)) {
                Tail::Never => middle(self, limits),
                Tail::Always => tail(self, limits),
                Tail::Where(is_tail) => {
                    // A finite limit for the elements that are drawn from the middle.
                    let start = limits[0].full_like(tail_start(wide));
                    let far = limits.map(|limit| is_tail.select(limit, start));
                    is_tail.select(tail(self, far), middle(self, limits))
                }
            };
            // Rounding may have led out of the limits.
            let (first, last) =
                (lower.next_after(f64::INFINITY), upper.next_after(f64::NEG_INFINITY));
            normal.convert(dtype).clamp(first, last)
        })
    }
}

/// The elements that have both limits in one tail.
enum Tail {
    Never,
    Always,
    Where(Tensor),
}

/// The distance from 0 beyond which numbers are drawn from the tail.
fn tail_start(dtype: DType) -> f64 {
    if dtype == DType::F64 { 4.0 } else { 2.0 }
}

/// The number that fills a tensor, if it is known while tracing.
#[track_caller]
fn known(limit: Tensor) -> Option<f64> {
    let number = emit("truncated_normal", &[limit], Location::caller(), |builder, _, v| {
        let Op::Splat(Splat { scalar, .. }) = builder.op(v[0]) else { return Ok(None) };
        Ok(scalar.float())
    });
    number.flatten()
}

#[track_caller]
fn is_tail([lower, upper]: [Tensor; 2], low: Option<f64>, high: Option<f64>) -> Tail {
    let start = tail_start(lower.dtype());
    match (low, high) {
        (Some(low), _) if low > start => Tail::Always,
        (_, Some(high)) if high < -start => Tail::Always,
        (Some(_), Some(_)) => Tail::Never,
        _ => Tail::Where(lower.gt(start) | upper.lt(-start)),
    }
}

#[track_caller]
fn middle(key: Key, [lower, upper]: [Tensor; 2]) -> Tensor {
    let [low, high] = [lower, upper].map(|limit| (limit / SQRT_2).erf());
    normal_of(key.uniform_between(low.dtype(), low.shape(), low, high))
}

/// Numbers between limits on one side of 0, by the inverse of the tail's share: with `near` and
/// `far` the distances of the limits from 0, and `Q` the share of the normal distribution beyond a
/// distance, the distance `y` with `Q(y) = Q(near) (1 - v) + Q(far) v` for a uniform `v`.
///
/// `Q(y)` is `exp(-y²/2) E(y) / 2`, of which `E`, the scaled complement of the error function at
/// `y / √2`, neither overflows nor underflows. Newton's method solves for `y - near` the logarithm
/// of the equation divided by `Q(near)`; it starts at the solution for a constant `E`.
#[track_caller]
fn tail(key: Key, [lower, upper]: [Tensor; 2]) -> Tensor {
    let is_above = lower.gt(0);
    let near = is_above.select(lower, -upper);
    let far = is_above.select(upper, -lower);
    let uniform = key.uniform(near.dtype(), near.shape());
    let share = is_above.select(uniform, uniform * -1 + 1);

    let scaled = |y: Tensor| erfc_scaled(y / SQRT_2);
    let at_near = scaled(near);
    let width = far - near;
    // The tail beyond infinity is empty and has no scaled complement.
    let at_far = far.is_inf().select(at_near, scaled(far)) / at_near;
    // `Q(far) / Q(near) - 1`, also where both are almost equal.
    let exponent = -(width * (near + width * 0.5));
    let lost = exponent.exp_m1() * at_far + (at_far - 1);
    let logarithm = (share * lost).log1p();

    let start = near + (near * near - logarithm * 2).sqrt();
    let mut distance = logarithm * -2 / start;
    for _ in 0..NEWTON_STEPS {
        let at = scaled(near + distance);
        let excess = distance * (near + distance * 0.5) - (at / at_near).log() + logarithm;
        let hazard = at.full_like((2.0 / std::f64::consts::PI).sqrt()) / at;
        distance = distance - excess / hazard;
    }
    let y = near + distance;
    is_above.select(y, -y)
}

/// The number of steps after which the initial error, at most a tenth of the distance, is below the
/// precision of `f64`.
const NEWTON_STEPS: usize = 4;
