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
//! assert_eq!(linear.forward(x).shape().to_string(), "f32[batch=32, pixel=10]");
//! ```

use crate::product::{along_last, name_of, own_axis, times_weight, with_last};
use hloom_graph::{DType, Name, Spec, Tensor, Tree, function_scope};

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

/// A linear layer that names its outputs: [`Linear::to`].
pub struct LinearTo<'a> {
    linear: &'a Linear,
    name: &'a str,
}

impl Linear {
    /// `x` times the transposed weight, plus the bias, along the axis of `x` that has the name of
    /// the weight's inputs, `in`, or along the last axis if `x` has no such axis. The outputs keep
    /// the name and the place of that axis, so that a residual connection adds them to `x`.
    #[track_caller]
    pub fn forward(&self, x: Tensor) -> Tensor {
        let name = name_of(x, self.input_axis(x));
        function_scope("nn::Linear", || self.apply(x, name))
    }

    fn input_axis(&self, x: Tensor) -> usize {
        own_axis(x, name_of(self.weight, 1))
    }

    /// The layer with another name for the axis of its outputs; `_` for none.
    ///
    /// ```
    /// # use hloom_graph::{DType, Spec, TraceScope};
    /// # use hloom_nn::Linear;
    /// # let trace = TraceScope::begin("example");
    /// # let spec = Linear::new(4, 3, false, DType::F32);
    /// # let weight = trace.parameter("weight", &spec.weight, false);
    /// # let linear = Linear { weight, bias: None };
    /// # let x = trace.parameter("x", &Spec::f32([("batch", 2), ("in", 4)]), false);
    /// assert_eq!(linear.to("hidden").forward(x).shape().to_string(), "f32[batch=2, hidden=3]");
    /// ```
    pub fn to<'a>(&'a self, name: &'a str) -> LinearTo<'a> {
        LinearTo { linear: self, name }
    }

    #[track_caller]
    fn apply(&self, x: Tensor, name: Option<Name>) -> Tensor {
        with_last(x, self.input_axis(x), |x| {
            let y = times_weight(x, self.weight, name);
            match self.bias {
                Some(bias) => y + along_last(bias, y),
                None => y,
            }
        })
    }
}

impl LinearTo<'_> {
    /// As [`Linear::forward`], with the layer's name for the axis of the outputs.
    #[track_caller]
    pub fn forward(&self, x: Tensor) -> Tensor {
        let name = (self.name != "_").then(|| Name::new(self.name));
        function_scope("nn::Linear", || self.linear.apply(x, name))
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
