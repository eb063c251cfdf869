//! Activation functions.

use super::{elementwise::with_slope, special::NormalTail};
use crate::{Attributes, Axis, DType, Tensor, custom_vjp, function_scope, op::OwnComposite, trace};

/// The density of standard normal numbers at 0.
const NORMAL_DENSITY: f64 = 0.398_942_280_401_432_7;

#[hloom_derive::tensor_methods(activation)]
impl Tensor {
    /// The maximum of x and 0, of slope 0 at 0, as `jax.nn.relu`.
    #[track_caller]
    pub fn relu(self) -> Tensor {
        function_scope("relu", || {
            let forward = |x: Tensor| {
                let y = x.maximum(0);
                (y, y)
            };
            // The cotangent of a maximum is shared where both are equal.
            custom_vjp(self, forward, |y, g| y.gt(0).select(g, g.zeros_like()))
        })
    }

    /// x where it is not negative, else `slope` times x. Floats below 32 bits are computed in
    /// `f32`, since `slope` may not be one of theirs.
    #[track_caller]
    pub fn leaky_relu(self, slope: f64) -> Tensor {
        function_scope("leaky_relu", || {
            let x = self.at_least_f32();
            x.ge(0).select(x, x * slope).convert(self.dtype())
        })
    }

    /// x times the logistic function of x, also called swish ([Elfwing et al.
    /// 2017](https://arxiv.org/abs/1702.03118)). At minus infinity it is NaN, the product of
    /// infinity and 0; at every finite number it is finite.
    #[track_caller]
    pub fn silu(self) -> Tensor {
        function_scope("silu", || {
            let x = self.at_least_f32();
            (x * x.sigmoid()).convert(self.dtype())
        })
    }

    /// x times the normal distribution function of x, exactly
    /// ([Hendrycks and Gimpel 2016](https://arxiv.org/abs/1606.08415)).
    ///
    /// Narrow floats are computed in `f32`. Results far below 0 have their full precision. At minus
    /// infinity it is NaN, the product of infinity and 0; at every finite number it is finite.
    #[track_caller]
    pub fn gelu(self) -> Tensor {
        // Short floats have exact squares in `f32`.
        let is_short = self.dtype().bits() < 32;
        let forward = |x: Tensor| {
            let tail = NormalTail::of(x, is_short).probability;
            x * x.lt(0).select(tail, tail * -1 + 1)
        };
        let slope = |x: Tensor| {
            let NormalTail { size, density, probability } = NormalTail::of(x, is_short);
            let tail = probability - size * density * NORMAL_DENSITY;
            x.lt(0).select(tail, tail * -1 + 1)
        };
        let curvature = |x: Tensor| {
            let NormalTail { size, density, .. } = NormalTail::of(x, is_short);
            density * (size * size * -1 + 2) * NORMAL_DENSITY
        };
        self.in_f32("gelu", |x| with_slope(x, forward, |x| with_slope(x, slope, curvature)))
    }

    /// The tanh approximation of [`gelu`](Self::gelu), from the same paper, with the same limits:
    /// `x / 2 (1 + tanh(y))`, which is x times the logistic function of `2 y`.
    #[track_caller]
    pub fn gelu_tanh(self) -> Tensor {
        const CUBE: f64 = 0.044715;
        // Twice the root of 2 / pi.
        const SCALE: f64 = 1.595_769_121_605_730_7;
        let forward = |x: Tensor| x * ((x * x * CUBE + 1) * x * SCALE).sigmoid();
        let slope = |x: Tensor| {
            // Beyond this range the slope is 0 or 1, and cubes may be infinite.
            let x = x.clamp(-40, 40);
            let square = x * x;
            let inner = (square * CUBE + 1) * x * SCALE;
            let outer = (square * (3.0 * CUBE) + 1) * SCALE;
            inner.sigmoid() * (x * outer * (-inner).sigmoid() + 1)
        };
        self.in_f32("gelu_tanh", |x| with_slope(x, forward, slope))
    }

    /// Exponentials along an axis divided by their sum, without overflow. Floats below 32 bits are
    /// computed in `f32`. It is recorded as the composite `hloom.softmax`.
    #[track_caller]
    pub fn softmax(self, axis: impl Into<Axis>) -> Tensor {
        function_scope("softmax", || {
            let axis = axis.into();
            match trace::shape_of(self).and_then(|shape| shape.position(axis).ok()) {
                Some(axis) => {
                    let attributes = Attributes::new().with("axis", axis as i64);
                    OwnComposite::SOFTMAX
                        .call(1, attributes, &[self], |x| softmax(x[0], axis.into()))
                }
                // The axis is invalid: the first of its ops reports the error.
                None => softmax(self, axis),
            }
        })
    }

    /// The logarithm of [`softmax`](Self::softmax), without underflow of small probabilities.
    /// Floats below 32 bits are computed in `f32`.
    #[track_caller]
    pub fn log_softmax(self, axis: impl Into<Axis>) -> Tensor {
        function_scope("log_softmax", || {
            let axis = axis.into();
            // The result does not depend on the maximum that is subtracted.
            let x = self.at_least_f32();
            let shifted = x - x.max_keep(axis).stop_gradient();
            (shifted - shifted.exp().sum_keep(axis).log()).convert(self.dtype())
        })
    }

    /// x where it is positive, else `alpha * (exp(x) - 1)` ([Clevert et al.
    /// 2015](https://arxiv.org/abs/1511.07289)).
    #[track_caller]
    pub fn elu(self, alpha: f64) -> Tensor {
        self.in_f32("elu", |x| x.gt(0).select(x, not_above_0(x).exp_m1() * alpha))
    }

    /// x where it is positive, else `alpha * (exp(x / alpha) - 1)` ([Barron
    /// 2017](https://arxiv.org/abs/1704.07483)).
    #[track_caller]
    pub fn celu(self, alpha: f64) -> Tensor {
        self.in_f32("celu", |x| x.gt(0).select(x, (not_above_0(x) / alpha).exp_m1() * alpha))
    }

    /// A scaled [`elu`](Self::elu), which keeps mean 0 and variance 1 ([Klambauer et al.
    /// 2017](https://arxiv.org/abs/1706.02515)).
    #[track_caller]
    pub fn selu(self) -> Tensor {
        const SCALE: f64 = 1.0507009873554805;
        const ALPHA: f64 = 1.6732632423543772;
        self.in_f32("selu", |x| x.gt(0).select(x, not_above_0(x).exp_m1() * ALPHA) * SCALE)
    }

    /// The logarithm of 1 plus the exponential of x, without overflow.
    #[track_caller]
    pub fn softplus(self) -> Tensor {
        let forward = |x: Tensor| x.maximum(0) + (x.abs() * -1).exp().log1p();
        self.in_f32("softplus", |x| with_slope(x, forward, Tensor::sigmoid))
    }

    /// The logarithm of [`sigmoid`](Self::sigmoid), without overflow.
    #[track_caller]
    pub fn log_sigmoid(self) -> Tensor {
        self.in_f32("log_sigmoid", |x| -(-x).softplus())
    }

    /// x times the hyperbolic tangent of [`softplus`](Self::softplus) ([Misra
    /// 2019](https://arxiv.org/abs/1908.08681)).
    #[track_caller]
    pub fn mish(self) -> Tensor {
        self.in_f32("mish", |x| x * x.softplus().tanh())
    }

    /// x divided by 1 plus its absolute value.
    #[track_caller]
    pub fn softsign(self) -> Tensor {
        // The derivatives of dividend and divisor would cancel far from 0.
        let slope = |x: Tensor| {
            let root = x.ones_like() / (x.abs() + 1);
            root * root
        };
        self.in_f32("softsign", |x| with_slope(x, |x| x / (x.abs() + 1), slope))
    }

    /// x between 0 and 6, of slope 0 at both, as `jax.nn.relu6`.
    #[track_caller]
    pub fn relu6(self) -> Tensor {
        function_scope("relu6", || self.clamp(0, 6))
    }

    /// x between -1 and 1, of slope 1 at both, as `jax.nn.hard_tanh`.
    #[track_caller]
    pub fn hard_tanh(self) -> Tensor {
        function_scope("hard_tanh", || {
            let above = self.lt(-1).select(self.full_like(-1), self);
            self.gt(1).select(self.ones_like(), above)
        })
    }

    /// `(x + 3) / 6` between 0 and 1 ([Howard et al. 2019](https://arxiv.org/abs/1905.02244)).
    #[track_caller]
    pub fn hard_sigmoid(self) -> Tensor {
        self.in_f32("hard_sigmoid", |x| (x + 3).relu6() / 6)
    }

    /// x times [`hard_sigmoid`](Self::hard_sigmoid).
    #[track_caller]
    #[doc(alias = "hard_silu")]
    pub fn hard_swish(self) -> Tensor {
        // Divides before multiplying: the product may be infinite.
        self.in_f32("hard_swish", |x| x * ((x + 3).relu6() / 6))
    }

    /// x times the logistic function of 1.702 x, an approximation of [`gelu`](Self::gelu) from the
    /// same paper.
    #[track_caller]
    pub fn quick_gelu(self) -> Tensor {
        self.in_f32("quick_gelu", |x| x * (x * 1.702).sigmoid())
    }

    /// x where it is not negative, else `slope` times x, where the slopes are weights ([He et al.
    /// 2015](https://arxiv.org/abs/1502.01852)).
    #[track_caller]
    pub fn prelu(self, slope: Tensor) -> Tensor {
        function_scope("prelu", || self.ge(0).select(self, self * slope))
    }

    /// x kept smoothly between `-cap` and `cap`: `cap * tanh(x / cap)`.
    #[track_caller]
    pub fn softcap(self, cap: f64) -> Tensor {
        self.in_f32("softcap", |x| (x / cap).tanh() * cap)
    }

    /// The first half along an axis times the logistic function of the second ([Dauphin et al.
    /// 2016](https://arxiv.org/abs/1612.08083)).
    #[track_caller]
    pub fn glu(self, axis: impl Into<Axis>) -> Tensor {
        let axis = axis.into();
        function_scope("glu", || {
            let halves = self.split(axis, 2);
            halves[0] * halves[1].sigmoid()
        })
    }

    /// [`silu`](Self::silu) of the first half along an axis, times the second ([Shazeer
    /// 2020](https://arxiv.org/abs/2002.05202)).
    #[track_caller]
    pub fn swiglu(self, axis: impl Into<Axis>) -> Tensor {
        let axis = axis.into();
        function_scope("swiglu", || {
            let halves = self.split(axis, 2);
            halves[0].silu() * halves[1]
        })
    }

    /// Converts narrow floats to `f32`: rounding after each step would lose all digits where values
    /// cancel.
    #[track_caller]
    pub(crate) fn at_least_f32(self) -> Tensor {
        match self.dtype() {
            dtype if dtype.is_float() && dtype.bits() < 32 => self.convert(DType::F32),
            _ => self,
        }
    }
}

/// x, or 0 where x is positive. A minimum is not used, since it shares the cotangent at 0.
#[track_caller]
fn not_above_0(x: Tensor) -> Tensor {
    x.gt(0).select(x.zeros_like(), x)
}

#[track_caller]
fn softmax(x: Tensor, axis: Axis) -> Tensor {
    let wide = x.at_least_f32();
    // The result does not depend on the maximum that is subtracted.
    let exp = (wide - wide.max_keep(axis).stop_gradient()).exp();
    (exp / exp.sum_keep(axis)).convert(x.dtype())
}
