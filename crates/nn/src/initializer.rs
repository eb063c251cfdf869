//! Initial values of weights, as `jax.nn.initializers` draws them for the same key.
//!
//! ```
//! use hloom_graph::{DType, Key, Spec, TraceScope};
//! use hloom_nn::{Initializer, Linear, initialize};
//!
//! let trace = TraceScope::begin("example");
//! let spec = Linear::new(784, 10, true, DType::F32);
//! let linear = initialize(Key::new(0), &spec, |path, _| match path.to_string().as_str() {
//!     "bias" => Initializer::Zeros,
//!     _ => Initializer::HE_NORMAL,
//! });
//! assert_eq!(linear.weight.shape(), spec.weight.shape());
//! ```

use crate::wide::wide_type;
use hloom_graph::{Axis, DType, Key, Path, Spec, Tensor, Tree, function_scope};

/// A distribution of initial values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Initializer {
    /// Zeros.
    Zeros,
    /// Ones.
    Ones,
    /// One value.
    Constant(f64),
    /// Normally distributed values of mean 0.
    Normal {
        /// The standard deviation.
        deviation: f64,
    },
    /// As [`Normal`](Self::Normal), without values beyond two standard deviations of the whole
    /// distribution.
    TruncatedNormal {
        /// The standard deviation of the distribution that is cut off.
        deviation: f64,
    },
    /// Values from 0 to `scale`.
    Uniform {
        /// The limit, excluded.
        scale: f64,
    },
    /// Values of mean 0 whose variance is `scale` divided by the number of inputs or outputs
    /// ([He et al. 2015](https://arxiv.org/abs/1502.01852)).
    VarianceScaling {
        /// The factor on the variance.
        scale: f64,
        /// The fan mode, by whose count the variance is divided.
        fan: Fan,
        /// The distribution.
        distribution: Distribution,
    },
}

/// The fan mode: the count by which a variance is divided, that of the inputs of each output, of
/// the outputs of each input, or the mean of both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fan {
    /// The number of inputs of each output.
    In,
    /// The number of outputs of each input.
    Out,
    /// The mean of both.
    Average,
}

/// A family of distributions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distribution {
    /// Normal.
    Normal,
    /// Normal, without values beyond two standard deviations of the whole distribution.
    TruncatedNormal,
    /// Uniform.
    Uniform,
}

/// The standard deviation of the standard normal distribution truncated at -2 and 2.
const TRUNCATED: f64 = 0.879_625_661_034_239_8;

impl Initializer {
    /// [Glorot and Bengio 2010](https://proceedings.mlr.press/v9/glorot10a.html), uniform
    /// (`xavier_uniform`).
    pub const GLOROT_UNIFORM: Initializer = scaled(1.0, Fan::Average, Distribution::Uniform);
    /// The same variance, truncated normal (`xavier_normal`).
    pub const GLOROT_NORMAL: Initializer = scaled(1.0, Fan::Average, Distribution::TruncatedNormal);
    /// For ReLUs ([He et al. 2015](https://arxiv.org/abs/1502.01852)), uniform (`kaiming_uniform`).
    pub const HE_UNIFORM: Initializer = scaled(2.0, Fan::In, Distribution::Uniform);
    /// The same variance, truncated normal (`kaiming_normal`).
    pub const HE_NORMAL: Initializer = scaled(2.0, Fan::In, Distribution::TruncatedNormal);
    /// [LeCun et al. 1998](https://doi.org/10.1007/3-540-49430-8_2), uniform.
    pub const LECUN_UNIFORM: Initializer = scaled(1.0, Fan::In, Distribution::Uniform);
    /// The same variance, truncated normal.
    pub const LECUN_NORMAL: Initializer = scaled(1.0, Fan::In, Distribution::TruncatedNormal);

    /// A tensor of this distribution. For the fan, its axes are taken as `[out, in, ..]`: further
    /// axes, such as those of a kernel, multiply both counts. A vector has as many inputs as
    /// outputs. Numbers below 32 bits are drawn in `f32` and rounded once.
    #[track_caller]
    pub fn sample(self, key: Key, spec: &Spec) -> Tensor {
        self.sample_along(key, spec, 1, 0)
    }

    /// As [`sample`](Self::sample), with the axes of the inputs and of the outputs.
    #[track_caller]
    pub fn sample_along(
        self,
        key: Key,
        spec: &Spec,
        inputs: impl Into<Axis>,
        outputs: impl Into<Axis>,
    ) -> Tensor {
        let shape = spec.shape();
        let dtype = wide_type(shape.dtype());
        let of = |axis: Axis| shape.size(axis).unwrap_or(1).max(1) as f64;
        let (inputs, outputs) = (of(inputs.into()), of(outputs.into()));
        let others = match shape.rank() {
            0 | 1 => 1.0,
            _ => shape.element_count().max(1) as f64 / (inputs * outputs),
        };
        let sample = || match self {
            Initializer::Zeros => Tensor::zeros(shape.dtype(), shape),
            Initializer::Ones => Tensor::ones(shape.dtype(), shape),
            Initializer::Constant(value) => Tensor::full(value, shape.dtype(), shape),
            Initializer::Normal { deviation } => key.normal(dtype, shape) * deviation,
            Initializer::TruncatedNormal { deviation } => {
                key.truncated_normal(dtype, shape, -2.0, 2.0) * deviation
            }
            Initializer::Uniform { scale } => key.uniform(dtype, shape) * scale,
            Initializer::VarianceScaling { scale, fan, distribution } => {
                let fan = others
                    * match fan {
                        Fan::In => inputs,
                        Fan::Out => outputs,
                        Fan::Average => (inputs + outputs) / 2.0,
                    };
                drawn(key, dtype, spec, scale / fan, distribution)
            }
        };
        function_scope("nn::Initializer", || sample().convert(shape.dtype()))
    }
}

const fn scaled(scale: f64, fan: Fan, distribution: Distribution) -> Initializer {
    Initializer::VarianceScaling { scale, fan, distribution }
}

#[track_caller]
fn drawn(key: Key, dtype: DType, spec: &Spec, variance: f64, distribution: Distribution) -> Tensor {
    let shape = spec.shape();
    match distribution {
        Distribution::Normal => key.normal(dtype, shape) * variance.sqrt(),
        Distribution::TruncatedNormal => {
            key.truncated_normal(dtype, shape, -2.0, 2.0) * (variance.sqrt() / TRUNCATED)
        }
        Distribution::Uniform => {
            key.uniform_between(dtype, shape, -1.0, 1.0) * (3.0 * variance).sqrt()
        }
    }
}

/// A tree of initial values: `choose` takes the path and the spec of each leaf. Each leaf draws
/// from a key of its own, so that an additional leaf does not change the others.
#[track_caller]
pub fn initialize<T: Tree<Leaf = Spec> + Clone>(
    key: Key,
    spec: &T,
    mut choose: impl FnMut(&Path<'_>, &Spec) -> Initializer,
) -> T::With<Tensor> {
    let mut leaf = 0;
    spec.clone().map(&mut |path: &Path<'_>, spec: Spec| {
        leaf += 1;
        choose(path, &spec).sample(key.fold_in(leaf - 1), &spec)
    })
}
