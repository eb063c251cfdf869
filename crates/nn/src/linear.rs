//! A linear layer.
//!
//! ```
//! use hloom_graph::{DType, Spec, TraceScope};
//! use hloom_nn::Linear;
//!
//! let spec = Linear::new(784, 10, true, DType::F32);
//! let trace = TraceScope::begin("example");
//! let linear = Linear {
//!     weight: trace.parameter("weight", &spec.weight, false),
//!     bias: spec.bias.map(|bias| trace.parameter("bias", &bias, false)),
//! };
//! let x = trace.parameter("x", &Spec::f32([("batch", 32), ("pixel", 784)]), false);
//! assert_eq!(linear.forward(x).shape().to_string(), "f32[batch=32, out=10]");
//! ```

use crate::product::{along_last, times_weight};
use hloom_graph::{DType, Spec, Tensor, Tree, named_scope};

/// Multiplies by a matrix and adds a bias.
#[derive(Tree, Clone, Debug)]
pub struct Linear<T = Tensor> {
    /// `[out, in]`.
    #[axes(out, in)]
    pub weight: T,
    /// `[out]`.
    #[axes(out)]
    pub bias: Option<T>,
}

impl Linear {
    /// `x`, `[.., in]`, times the transposed weight, plus the bias: `[.., out]`. The last axis of
    /// `x` may have any name.
    #[track_caller]
    pub fn forward(&self, x: Tensor) -> Tensor {
        named_scope("nn::Linear", || {
            let y = times_weight(x, self.weight);
            match self.bias {
                Some(bias) => y + along_last(bias, y),
                None => y,
            }
        })
    }
}

impl Linear<Spec> {
    /// The specs of a layer from `inputs` to `outputs` features.
    pub fn new(inputs: usize, outputs: usize, bias: bool, dtype: DType) -> Linear<Spec> {
        Linear {
            weight: Spec::new(dtype, [("out", outputs), ("in", inputs)]),
            bias: bias.then(|| Spec::new(dtype, [("out", outputs)])),
        }
    }
}
