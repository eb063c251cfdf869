//! Group normalisation ([Wu and He 2018](https://arxiv.org/abs/1803.08494)).
//!
//! ```
//! use hloom_graph::{DType, Spec, TraceScope};
//! use hloom_nn::GroupNorm;
//!
//! let spec = GroupNorm::new(4, 16, 1e-5, DType::F32);
//! let trace = TraceScope::begin("example");
//! let norm = GroupNorm {
//!     weight: spec.weight.map(|weight| trace.parameter("weight", &weight, false)),
//!     bias: spec.bias.map(|bias| trace.parameter("bias", &bias, false)),
//!     groups: spec.groups,
//!     epsilon: spec.epsilon,
//! };
//! let x = trace.parameter("x", &Spec::f32([("batch", 2), ("channel", 16), ("x", 9)]), false);
//! let y = norm.forward(x, "channel", "x");
//! assert_eq!(y.shape().to_string(), "f32[batch=2, channel=16, x=9]");
//! ```

use crate::{product::along, wide::wide};
use hloom_graph::{Axis, DType, IntoAxes, Name, Spec, Tensor, Tree, function_scope, record_error};

/// Normalises each group of channels of each batch element over all positions, then scales and
/// shifts each channel. With a group per channel it is an instance normalisation.
#[derive(Tree, Clone, Debug)]
pub struct GroupNorm<T = Tensor> {
    /// `[channel]`.
    pub weight: Option<T>,
    /// `[channel]`.
    pub bias: Option<T>,
    /// The number of groups of adjacent channels.
    #[tree(value = 32)]
    pub groups: usize,
    /// A number that is added to the variance. A model's value comes from its configuration:
    /// `#[tree(set(epsilon = config.eps))]` on the field with the norm.
    #[tree(value = 1e-5)]
    pub epsilon: f64,
}

impl GroupNorm {
    /// Normalises over the channels of a group and the spatial axes, in `f32` or `f64`; the result
    /// has the shape and type of `x`. All other axes are batch axes.
    #[track_caller]
    pub fn forward(&self, x: Tensor, channel: impl Into<Axis>, spatial: impl IntoAxes) -> Tensor {
        let (channel, spatial) = (channel.into(), spatial.into_axes(x.rank()));
        function_scope("nn::GroupNorm", || {
            let shape = x.shape();
            let spatial: Result<Vec<usize>, _> =
                spatial.iter().map(|&axis| shape.position(axis)).collect();
            let (at, spatial) = match shape.position(channel).and_then(|at| Ok((at, spatial?))) {
                Ok(axes) => axes,
                Err(error) => return record_error("nn::GroupNorm", &[x], error.to_string()),
            };
            let size = shape.sizes()[at];
            if self.groups == 0 || !size.is_multiple_of(self.groups) {
                let message =
                    format!("axis {channel} of size {size} has no {} equal groups", self.groups);
                return record_error("nn::GroupNorm", &[x], message);
            }
            let wide = wide(x);
            let apart = [("_", self.groups), ("_", size / self.groups)];
            let grouped = wide.unflatten(at, apart);
            let mut axes: Vec<usize> =
                spatial.iter().map(|&axis| axis + usize::from(axis > at)).collect();
            axes.push(at + 1);
            let distance = grouped - grouped.mean_keep(axes.clone());
            let scale = ((distance * distance).mean_keep(axes) + self.epsilon).rsqrt();
            let name = shape.names()[at];
            let name = name.map_or("_", Name::as_str);
            let mut y = (distance * scale).merge([at, at + 1], name);
            if let Some(weight) = self.weight {
                y = y * along(weight, y, at.into());
            }
            if let Some(bias) = self.bias {
                y = y + along(bias, y, at.into());
            }
            y.convert(x.dtype())
        })
    }
}

impl GroupNorm<Spec> {
    /// The specs of a norm over `channels`, with a weight and a bias.
    pub fn new(groups: usize, channels: usize, epsilon: f64, dtype: DType) -> GroupNorm<Spec> {
        GroupNorm {
            weight: Some(Spec::new(dtype, [channels])),
            bias: Some(Spec::new(dtype, [channels])),
            groups,
            epsilon,
        }
    }
}
