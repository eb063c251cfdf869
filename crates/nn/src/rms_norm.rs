//! Root mean square normalisation ([Zhang and Sennrich 2019](https://arxiv.org/abs/1910.07467)).
//!
//! ```
//! use hloom_graph::{DType, Spec, TraceScope};
//! use hloom_nn::RmsNorm;
//!
//! let trace = TraceScope::begin("example");
//! let weight = trace.parameter("weight", &RmsNorm::new(64, 1e-5, DType::F32).weight, false);
//! let x = trace.parameter("x", &Spec::bf16([("seq", 5), ("in", 64)]), false);
//! let y = RmsNorm { weight, epsilon: 1e-5 }.forward(x);
//! assert_eq!(y.shape().to_string(), "bf16[seq=5, in=64]");
//! ```

use crate::{
    product::{along_last, name_of, own_axis, with_last},
    wide::wide,
};
use hloom_graph::{Attributes, DType, Spec, Tensor, Tree, function_scope, op::OwnComposite};

/// Divides by the root mean square of an axis and multiplies by a weight per element.
#[derive(Tree, Clone, Debug)]
pub struct RmsNorm<T = Tensor> {
    /// `[in]`.
    #[axes(in)]
    pub weight: T,
    /// A number that is added to the mean square. A model's value comes from its configuration:
    /// `#[tree(set(epsilon = config.norm_eps))]` on the field with the norm.
    #[tree(value = 1e-5)]
    pub epsilon: f64,
}

impl RmsNorm {
    /// Normalises the axis of `x` that has the name of the weight's axis, `in`, or the last axis if
    /// there is none, in `f32` or `f64`; the result has the shape and type of `x`. It is recorded
    /// as the composite `hloom.rms_norm`, along the last axis.
    #[track_caller]
    pub fn forward(&self, x: Tensor) -> Tensor {
        let own = own_axis(x, name_of(self.weight, 0));
        function_scope("nn::RmsNorm", || with_last(x, own, |x| self.normalize_last(x)))
    }

    #[track_caller]
    fn normalize_last(&self, x: Tensor) -> Tensor {
        let attributes = Attributes::new().with("epsilon", self.epsilon);
        OwnComposite::RMS_NORM.call(1, attributes, &[x, self.weight], |inputs| {
            let (x, weight) = (inputs[0], inputs[1]);
            let wide = wide(x);
            let scale = ((wide * wide).mean_keep(-1) + self.epsilon).rsqrt();
            (wide * scale * along_last(weight, wide)).convert(x.dtype())
        })
    }
}

impl RmsNorm<Spec> {
    /// The specs of a norm over `size` elements.
    pub fn new(size: usize, epsilon: f64, dtype: DType) -> RmsNorm<Spec> {
        RmsNorm { weight: Spec::new(dtype, [("in", size)]), epsilon }
    }
}
