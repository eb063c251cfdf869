//! Random floats of continuous distributions, and of truth values.

use super::{
    Key,
    uniform::{drawn_in, fitted},
};
use crate::{
    DType, IntoDims, Operand, Tensor,
    trace::{OpError, emit, function_scope},
};
use std::{f64::consts::SQRT_2, panic::Location};

/// Draws by transformation of [`uniform`](Key::uniform) numbers, as JAX computes them: equal to
/// JAX's within 4 units in the last place. Numbers of `bf16` and `f16` are drawn in `f32` and
/// rounded, while JAX transforms the 128 or 1,024 uniform numbers of the type.
#[hloom_derive::tensor_methods(distribution)]
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
        let wide = drawn_in(dtype);
        normal_of(self.uniform_between(wide, dims, above_minus_one(wide), 1)).convert(dtype)
    }

    /// Exponentially distributed numbers of rate 1.
    #[track_caller]
    pub fn exponential(self, dtype: DType, dims: impl IntoDims) -> Tensor {
        self.draw("exponential", dtype, dims, |dims| {
            let uniform = self.uniform(drawn_in(dtype), dims);
            (-(-uniform).log1p()).convert(dtype)
        })
    }

    /// Gumbel-distributed numbers of location 0 and scale 1: the argmax of `logits + gumbel` is
    /// each index with its softmax probability.
    #[track_caller]
    pub fn gumbel(self, dtype: DType, dims: impl IntoDims) -> Tensor {
        self.draw("gumbel", dtype, dims, |dims| {
            let wide = drawn_in(dtype);
            let positive = self.uniform_between(wide, dims, smallest_normal(wide), 1);
            (-(-positive.log()).log()).convert(dtype)
        })
    }

    /// `true` with probability `p`: a number, or floats that broadcast to `dims`. Probabilities of
    /// `f64` are compared with uniform numbers of `f64`, others with those of `f32`.
    #[track_caller]
    pub fn bernoulli(self, p: impl Operand, dims: impl IntoDims) -> Tensor {
        function_scope("bernoulli", || {
            let p = p.like(Tensor::scalar(0, DType::F32));
            let dims = emit("bernoulli", &[p], Location::caller(), |_, s, _| {
                if super::key::is_drawn(s[0].dtype()) {
                    Ok(dims.into_dims()?)
                } else {
                    Err(OpError(format!(
                        "a probability is bf16, f16, f32 or f64, not {}",
                        s[0].dtype()
                    )))
                }
            });
            let Some(dims) = dims else { return Tensor::poisoned() };
            let uniform = self.uniform(drawn_in(p.dtype()), dims);
            uniform.lt(fitted(p.convert(uniform.dtype()), uniform))
        })
    }
}

/// Normally distributed numbers from uniform ones between -1 and 1.
#[track_caller]
pub(super) fn normal_of(uniform: Tensor) -> Tensor {
    uniform.erf_inv_as_drawn() * SQRT_2
}

/// The number of bits after the point of `f64` or `f32`.
fn fraction(dtype: DType) -> i32 {
    if dtype == DType::F64 { 52 } else { 23 }
}

/// The smallest number of `f64` or `f32` above -1.
pub(super) fn above_minus_one(dtype: DType) -> f64 {
    2f64.powi(-1 - fraction(dtype)) - 1.0
}

/// The smallest normal number of `f64` or `f32`.
fn smallest_normal(dtype: DType) -> f64 {
    if dtype == DType::F64 { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) }
}
