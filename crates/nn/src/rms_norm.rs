//! Root mean square normalisation ([Zhang and Sennrich 2019](https://arxiv.org/abs/1910.07467)).
//!
//! ```
//! use hloom_graph::{DType, Spec, TraceScope};
//! use hloom_nn::RmsNorm;
//!
//! let trace = TraceScope::begin("example");
//! let weight = trace.parameter("weight", &RmsNorm::new(64, 1e-5, DType::F32).weight, false);
//! let x = trace.parameter("x", &Spec::bf16([("seq", 5), ("in", 64)]), false);
//! assert_eq!(RmsNorm { weight, epsilon: 1e-5 }.forward(x).shape().to_string(), "bf16[seq=5, in=64]");
//! ```

use crate::product::along_last;
use hloom_graph::{DType, Spec, Tensor, Tree};

/// Divides by the root mean square of the last axis and multiplies by a weight per element.
#[derive(Tree, Clone, Debug)]
pub struct RmsNorm<T = Tensor> {
    /// `[in]`.
    #[axes(in)]
    pub weight: T,
    /// What is added to the mean square.
    #[tree(value = 1e-5)]
    pub epsilon: f64,
}

impl RmsNorm {
    /// Normalises the last axis of `x`, in `f32`; the result has the shape and type of `x`.
    #[track_caller]
    pub fn forward(&self, x: Tensor) -> Tensor {
        let wide = x.convert(DType::F32);
        let scale = ((wide * wide).mean_keep(-1) + self.epsilon).rsqrt();
        (wide * scale * along_last(self.weight, wide)).convert(x.dtype())
    }
}

impl RmsNorm<Spec> {
    /// The specs of a norm over `size` elements.
    pub fn new(size: usize, epsilon: f64, dtype: DType) -> RmsNorm<Spec> {
        RmsNorm {
            weight: Spec::new(dtype, [("in", size)]),
            epsilon,
        }
    }
}
