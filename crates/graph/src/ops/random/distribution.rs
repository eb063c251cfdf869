//! Random floats of continuous distributions, and of truth values.

use super::{Key, uniform::fitted};
use crate::{
    DType, IntoDims, Operand, Tensor,
    trace::{OpError, emit, named_scope},
};
use std::{f64::consts::SQRT_2, panic::Location};

/// Draws by transformation of [`uniform`](Key::uniform) numbers, as JAX computes them: equal to
/// JAX's within 4 units in the last place.
impl Key {
    /// Normally distributed numbers of mean 0 and variance 1: floats, or complex numbers with
    /// independent parts of variance 1/2.
    #[track_caller]
    pub fn normal(self, dtype: DType, dims: impl IntoDims) -> Tensor {
        if !dtype.is_complex() {
            return self.draw("normal", dtype, dims, |dims| self.normals(dtype, dims));
        }
        self.draw("normal", dtype.real(), dims, |dims| {
            let (real, imag) = self.split2();
            let [real, imag] = [real, imag].map(|key| key.normals(dtype.real(), dims) / SQRT_2);
            real.complex(imag)
        })
    }

    #[track_caller]
    fn normals(self, dtype: DType, dims: impl IntoDims) -> Tensor {
        normal_of(self.uniform_between(dtype, dims, above_minus_one(dtype), 1))
    }

    /// Normally distributed numbers between `lower` and `upper`, which are excluded: numbers, or
    /// tensors that broadcast to `dims`.
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
            let [low, high] = [lower, upper].map(|limit| (limit / SQRT_2).erf());
            let normal = normal_of(self.uniform_between(dtype, dims, low, high));
            // Rounding may have led out of the limits.
            normal.clamp(lower.next_after(f64::INFINITY), upper.next_after(f64::NEG_INFINITY))
        })
    }

    /// Exponentially distributed numbers of rate 1.
    #[track_caller]
    pub fn exponential(self, dtype: DType, dims: impl IntoDims) -> Tensor {
        self.draw("exponential", dtype, dims, |dims| -(-self.uniform(dtype, dims)).log1p())
    }

    /// Gumbel-distributed numbers of location 0 and scale 1: the argmax of `logits + gumbel` is
    /// each index with its softmax probability.
    #[track_caller]
    pub fn gumbel(self, dtype: DType, dims: impl IntoDims) -> Tensor {
        self.draw("gumbel", dtype, dims, |dims| {
            let positive = self.uniform_between(dtype, dims, smallest_normal(dtype), 1);
            -(-positive.log()).log()
        })
    }

    /// `true` with probability `p`: a number, or floats that broadcast to `dims` and whose type
    /// decides the precision, `f32` for a number.
    #[track_caller]
    pub fn bernoulli(self, p: impl Operand, dims: impl IntoDims) -> Tensor {
        named_scope("bernoulli", || {
            let p = p.like(Tensor::scalar(0, DType::F32));
            let dims = emit("bernoulli", &[p], Location::caller(), |_, s, _| {
                match super::key::is_drawn(s[0].dtype()) {
                    true => Ok(dims.into_dims()?),
                    false => Err(OpError(format!(
                        "a probability is bf16, f16, f32 or f64, not {}",
                        s[0].dtype()
                    ))),
                }
            });
            let Some(dims) = dims else { return Tensor::poisoned() };
            let uniform = self.uniform(p.dtype(), dims);
            uniform.lt(fitted(p, uniform))
        })
    }
}

/// Normally distributed numbers from uniform ones between -1 and 1.
#[track_caller]
pub(super) fn normal_of(uniform: Tensor) -> Tensor {
    uniform.erf_inv_as_drawn() * SQRT_2
}

/// The number of bits after the point.
fn fraction(dtype: DType) -> i32 {
    match dtype {
        DType::BF16 => 7,
        DType::F16 => 10,
        DType::F64 => 52,
        _ => 23,
    }
}

/// The smallest number above -1.
pub(super) fn above_minus_one(dtype: DType) -> f64 {
    2f64.powi(-1 - fraction(dtype)) - 1.0
}

/// The smallest normal number.
fn smallest_normal(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-14),
        DType::F64 => f64::MIN_POSITIVE,
        _ => f64::from(f32::MIN_POSITIVE),
    }
}
