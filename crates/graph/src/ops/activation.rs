//! Activation functions.

use crate::{Attributes, Axis, DType, Tensor, named_scope, ops::shared_composite, trace};

impl Tensor {
    /// The maximum of x and 0.
    #[track_caller]
    pub fn relu(self) -> Tensor {
        named_scope("relu", || self.maximum(0))
    }

    /// x where it is positive, else `slope` times x.
    #[track_caller]
    pub fn leaky_relu(self, slope: f64) -> Tensor {
        named_scope("leaky_relu", || self.gt(0).select(self, self * slope))
    }

    /// x times the logistic function of x, also called swish ([Elfwing et al.
    /// 2017](https://arxiv.org/abs/1702.03118)). At minus infinity it is NaN, the product of
    /// infinity and 0; at every finite number it is finite.
    #[track_caller]
    pub fn silu(self) -> Tensor {
        named_scope("silu", || self * self.sigmoid())
    }

    /// x times the normal distribution function of x, exactly
    /// ([Hendrycks and Gimpel 2016](https://arxiv.org/abs/1606.08415)).
    ///
    /// It is computed as `x / 2 * (1 + erf(x / sqrt(2)))`, narrow floats in `f32`: the error is a
    /// few units in the last place of x, and results far below 0 cancel to 0. At minus infinity it
    /// is NaN, the product of infinity and 0; at every finite number it is finite.
    #[track_caller]
    pub fn gelu(self) -> Tensor {
        named_scope("gelu", || {
            let x = self.at_least_f32();
            (x * 0.5 * ((x * std::f64::consts::FRAC_1_SQRT_2).erf() + 1)).convert(self.dtype())
        })
    }

    /// The tanh approximation of [`gelu`](Self::gelu), from the same paper, with the same limits.
    #[track_caller]
    pub fn gelu_tanh(self) -> Tensor {
        named_scope("gelu_tanh", || {
            let x = self.at_least_f32();
            let inner = (x + x * x * x * 0.044715) * (2.0 / std::f64::consts::PI).sqrt();
            (x * 0.5 * (inner.tanh() + 1)).convert(self.dtype())
        })
    }

    /// Exponentials along an axis divided by their sum, without overflow. It is recorded as the
    /// composite `hloom.softmax`.
    #[track_caller]
    pub fn softmax(self, axis: impl Into<Axis>) -> Tensor {
        named_scope("softmax", || {
            let axis = axis.into();
            match trace::shape_of(self).and_then(|shape| shape.position(axis).ok()) {
                Some(axis) => {
                    let attributes = Attributes::new().with("axis", axis as i64);
                    shared_composite("hloom.softmax", 1, attributes, &[self], |x| {
                        softmax(x[0], axis.into())
                    })
                }
                // The first of its ops reports the error.
                None => softmax(self, axis),
            }
        })
    }

    /// The logarithm of [`softmax`](Self::softmax), without underflow of small probabilities.
    #[track_caller]
    pub fn log_softmax(self, axis: impl Into<Axis>) -> Tensor {
        named_scope("log_softmax", || {
            let axis = axis.into();
            let shifted = self - self.max_keep(axis);
            shifted - shifted.exp().sum_keep(axis).log()
        })
    }

    /// Converts narrow floats to `f32`: rounding after each step would leave nothing where values
    /// cancel.
    #[track_caller]
    fn at_least_f32(self) -> Tensor {
        match self.dtype() {
            dtype if dtype.is_float() && dtype.bits() < 32 => self.convert(DType::F32),
            _ => self,
        }
    }
}

#[track_caller]
fn softmax(x: Tensor, axis: Axis) -> Tensor {
    let exp = (x - x.max_keep(axis)).exp();
    exp / exp.sum_keep(axis)
}
