//! Batch normalisation ([Ioffe and Szegedy 2015](https://arxiv.org/abs/1502.03167)).
//!
//! ```
//! use hloom_graph::{DType, Spec, TraceScope, Tree};
//! use hloom_nn::BatchNorm;
//!
//! let spec = BatchNorm::new(16, DType::F32);
//! let trace = TraceScope::begin("example");
//! let norm = spec.map(&mut |path, spec| trace.parameter(path.to_string(), &spec, false));
//! let x = trace.parameter("x", &Spec::f32([("batch", 2), ("channel", 16), ("x", 9)]), false);
//! let expected = "f32[batch=2, channel=16, x=9]";
//! assert_eq!(norm.forward(x, "channel").shape().to_string(), expected);
//! let (y, updated) = norm.train(x, "channel");
//! assert_eq!(y.shape().to_string(), expected);
//! assert_eq!(updated.running_mean.shape(), norm.running_mean.shape());
//! ```

use crate::{product::along, wide::wide};
use hloom_graph::{Axis, DType, Name, Spec, Tensor, Tree, function_scope, record_error};

/// Normalises each channel over the batch and all positions, then scales and shifts it.
#[derive(Tree, Clone, Debug)]
pub struct BatchNorm<T = Tensor> {
    /// `[channel]`.
    pub weight: Option<T>,
    /// `[channel]`.
    pub bias: Option<T>,
    /// The mean that inference uses, `[channel]`.
    #[tree(buffer)]
    pub running_mean: T,
    /// The variance that inference uses, `[channel]`.
    #[tree(buffer)]
    pub running_var: T,
    /// The number of batches in the running statistics, an integer that [`train`](Self::train)
    /// increments; the layer does not read it.
    #[tree(buffer)]
    pub num_batches_tracked: Option<T>,
    /// A number that is added to the variance. A model's value comes from its configuration:
    /// `#[tree(set(epsilon = config.eps))]` on the field with the norm.
    #[tree(value = 1e-5)]
    pub epsilon: f64,
    /// The weight of the batch's statistics in the updated ones.
    #[tree(value = 0.1)]
    pub momentum: f64,
}

impl BatchNorm {
    /// Normalises `x` by the running statistics, as inference does, in `f32` or `f64`; the result
    /// has the shape and type of `x`.
    #[track_caller]
    pub fn forward(&self, x: Tensor, channel: impl Into<Axis>) -> Tensor {
        let channel = channel.into();
        function_scope("nn::BatchNorm", || {
            let to = wide(x).dtype();
            let [mean, var] = [self.running_mean, self.running_var].map(|v| v.convert(to));
            self.normalize(x, channel, mean, var)
        })
    }

    /// Normalises `x` by its own mean and variance, as training does, in `f32` or `f64`; the result
    /// has the shape and type of `x`. Also returns the layer with updated running statistics, which
    /// include the mean of `x` and the unbiased estimate of its variance.
    #[track_caller]
    pub fn train(&self, x: Tensor, channel: impl Into<Axis>) -> (Tensor, BatchNorm) {
        let channel = channel.into();
        function_scope("nn::BatchNorm", || {
            let at = match x.shape().position(channel) {
                Ok(at) => at,
                Err(error) => {
                    let failed = record_error("nn::BatchNorm", &[x], error.to_string());
                    return (failed, self.clone());
                }
            };
            let others: Vec<usize> = (0..x.rank()).filter(|&axis| axis != at).collect();
            let count: usize = others.iter().map(|&axis| x.size(axis)).product();
            let wide = wide(x);
            let (mean, var) = (wide.mean(others.clone()), wide.var(others));
            let y = self.normalize(x, channel, mean, var);
            let unbiased = var * (count as f64 / (count as f64 - 1.0));
            let running = |old: Tensor, new: Tensor| {
                let old_share = old.convert(new.dtype()) * (1.0 - self.momentum);
                let name = old.shape().names().first().copied().flatten();
                let new = new.named([name.map_or("_", Name::as_str)]);
                (old_share + new * self.momentum).convert(old.dtype())
            };
            let updated = BatchNorm {
                running_mean: running(self.running_mean, mean),
                running_var: running(self.running_var, unbiased),
                num_batches_tracked: self.num_batches_tracked.map(|count| count + 1),
                ..self.clone()
            };
            (y, updated)
        })
    }

    #[track_caller]
    fn normalize(&self, x: Tensor, channel: Axis, mean: Tensor, var: Tensor) -> Tensor {
        let wide = wide(x);
        let mut scale = (var + self.epsilon).rsqrt();
        if let Some(weight) = self.weight {
            let name = scale.shape().names().first().copied().flatten();
            let weight = weight.named([name.map_or("_", Name::as_str)]);
            scale = scale * weight.convert(wide.dtype());
        }
        let y = (wide - along(mean, wide, channel)) * along(scale, wide, channel);
        let y = match self.bias {
            Some(bias) => y + along(bias, wide, channel),
            None => y,
        };
        y.convert(x.dtype())
    }
}

impl BatchNorm<Spec> {
    /// The specs of a norm over `channels`, with a weight and a bias.
    pub fn new(channels: usize, dtype: DType) -> BatchNorm<Spec> {
        let vector = || Spec::new(dtype, [channels]);
        BatchNorm {
            weight: Some(vector()),
            bias: Some(vector()),
            running_mean: vector(),
            running_var: vector(),
            num_batches_tracked: None,
            epsilon: 1e-5,
            momentum: 0.1,
        }
    }
}
