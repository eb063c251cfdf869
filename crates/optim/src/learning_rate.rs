//! Learning rates.

use crate::Schedule;
use hloom_graph::{DType, Tensor};

/// A learning rate: a number, a scalar tensor or a [`Schedule`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a learning rate",
    note = "a learning rate is an `f32` or `f64`, a scalar `Tensor`, or a `Schedule`"
)]
pub trait LearningRate {
    /// The scalar of type `dtype` for the step that follows `step` others.
    #[track_caller]
    fn at_step(&self, step: Tensor, dtype: DType) -> Tensor;
}

impl LearningRate for f64 {
    fn at_step(&self, _: Tensor, dtype: DType) -> Tensor {
        Tensor::scalar(*self, dtype)
    }
}

impl LearningRate for f32 {
    fn at_step(&self, _: Tensor, dtype: DType) -> Tensor {
        Tensor::scalar(*self, dtype)
    }
}

impl LearningRate for Tensor {
    fn at_step(&self, _: Tensor, dtype: DType) -> Tensor {
        if self.rank() != 0 {
            let message = format!("a learning rate is a scalar, not {}", self.shape());
            return hloom_graph::record_error("learning_rate", &[*self], message);
        }
        self.convert(dtype)
    }
}

impl LearningRate for Schedule {
    fn at_step(&self, step: Tensor, dtype: DType) -> Tensor {
        self.at(step.convert(dtype))
    }
}

impl<R: LearningRate> LearningRate for &R {
    fn at_step(&self, step: Tensor, dtype: DType) -> Tensor {
        (**self).at_step(step, dtype)
    }
}
