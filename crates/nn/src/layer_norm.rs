//! Layer normalisation ([Ba et al. 2016](https://arxiv.org/abs/1607.06450)).
//!
//! ```
//! use hloom_graph::{DType, Spec, TraceScope};
//! use hloom_nn::LayerNorm;
//!
//! let spec = LayerNorm::new(64, 1e-12, DType::F32);
//! let trace = TraceScope::begin("example");
//! let norm = LayerNorm {
//!     weight: trace.parameter("weight", &spec.weight, false),
//!     bias: spec.bias.map(|bias| trace.parameter("bias", &bias, false)),
//!     epsilon: spec.epsilon,
//! };
//! let x = trace.parameter("x", &Spec::f32([("seq", 5), ("in", 64)]), false);
//! assert_eq!(norm.forward(x).shape().to_string(), "f32[seq=5, in=64]");
//! ```

use crate::{
    product::{along_last, name_of, own_axis, with_last},
    wide::wide,
};
use hloom_graph::{DType, Spec, Tensor, Tree, function_scope};

/// Normalises an axis to mean 0 and variance 1, then scales and shifts each element.
#[derive(Tree, Clone, Debug)]
pub struct LayerNorm<T = Tensor> {
    /// `[in]`.
    #[axes(in)]
    pub weight: T,
    /// `[in]`.
    #[axes(in)]
    pub bias: Option<T>,
    /// A number that is added to the variance. A model's value comes from its configuration:
    /// `#[tree(set(epsilon = config.norm_eps))]` on the field with the norm.
    #[tree(value = 1e-5)]
    pub epsilon: f64,
}

impl LayerNorm {
    /// Normalises the axis of `x` that has the name of the weight's axis, `in`, or the last axis if
    /// there is none, in `f32` or `f64`; the result has the shape and type of `x`.
    #[track_caller]
    pub fn forward(&self, x: Tensor) -> Tensor {
        let own = own_axis(x, name_of(self.weight, 0));
        function_scope("nn::LayerNorm", || with_last(x, own, |x| self.normalize_last(x)))
    }

    #[track_caller]
    fn normalize_last(&self, x: Tensor) -> Tensor {
        let wide = wide(x);
        let distance = wide - wide.mean_keep(-1);
        let scale = ((distance * distance).mean_keep(-1) + self.epsilon).rsqrt();
        let mut y = distance * scale * along_last(self.weight, wide);
        if let Some(bias) = self.bias {
            y = y + along_last(bias, wide);
        }
        y.convert(x.dtype())
    }
}

impl LayerNorm<Spec> {
    /// The specs of a norm over `size` elements, with a bias.
    pub fn new(size: usize, epsilon: f64, dtype: DType) -> LayerNorm<Spec> {
        LayerNorm {
            weight: Spec::new(dtype, [("in", size)]),
            bias: Some(Spec::new(dtype, [("in", size)])),
            epsilon,
        }
    }
}
