//! Convolution layers.
//!
//! ```
//! use hloom_graph::{ConvOptions, DType, Spec, TraceScope};
//! use hloom_nn::Conv;
//!
//! let spec = Conv::new(3, 16, [5, 5], 1, true, DType::F32);
//! let trace = TraceScope::begin("example");
//! let conv = Conv {
//!     weight: trace.parameter("weight", &spec.weight, false),
//!     bias: spec.bias.map(|bias| trace.parameter("bias", &bias, false)),
//!     options: ConvOptions::new().strides(2).padding(2),
//! };
//! let x = [("batch", 2), ("channel", 3), ("height", 12), ("width", 9)];
//! let x = trace.parameter("x", &Spec::f32(x), false);
//! let expected = "f32[batch=2, channel=16, height=6, width=5]";
//! assert_eq!(conv.forward(x).shape().to_string(), expected);
//! ```

use crate::product::{along, operands};
use hloom_graph::{ConvOptions, DType, Name, Spec, Tensor, Tree, function_scope};

/// A convolution with a bias, along all axes of the weight after its first two.
#[derive(Tree, Clone, Debug)]
pub struct Conv<T = Tensor> {
    /// `[out, in / groups, spatial..]`.
    pub weight: T,
    /// `[out]`.
    pub bias: Option<T>,
    /// Strides, padding, dilation and groups; the element type of accumulation is that of the
    /// input. Checkpoints lack them: `#[tree(set(options = ConvOptions::new().padding(1)))]` on the
    /// field with the layer, or [`with`](Conv::with).
    #[tree(default)]
    pub options: ConvOptions,
}

/// A transposed convolution with a bias, along all axes of the weight after its first two.
#[derive(Tree, Clone, Debug)]
pub struct ConvTranspose<T = Tensor> {
    /// `[in, out / groups, spatial..]`.
    pub weight: T,
    /// `[out]`.
    pub bias: Option<T>,
    /// Strides, padding, dilation, groups and output padding: see [`Conv::options`].
    #[tree(default)]
    pub options: ConvOptions,
}

impl Conv {
    /// The layer with other options.
    pub fn with(&self, options: ConvOptions) -> Conv {
        Conv { options, ..*self }
    }

    /// The convolution of `x`, `[batch.., in, spatial..]`, plus the bias, by the order of axes:
    /// `[batch.., out, spatial..]`. The features keep the name of their axis.
    #[track_caller]
    pub fn forward(&self, x: Tensor) -> Tensor {
        function_scope("nn::Conv", || {
            convolved(x, self.weight, self.bias, &self.options, Tensor::conv)
        })
    }
}

impl ConvTranspose {
    /// The layer with other options.
    pub fn with(&self, options: ConvOptions) -> ConvTranspose {
        ConvTranspose { options, ..*self }
    }

    /// The transposed convolution of `x`, `[batch.., in, spatial..]`, plus the bias, by the order
    /// of axes: `[batch.., out, spatial..]`. The features keep the name of their axis.
    #[track_caller]
    pub fn forward(&self, x: Tensor) -> Tensor {
        function_scope("nn::ConvTranspose", || {
            let weight = self.weight.swap_axes(0, 1);
            convolved(x, weight, self.bias, &self.options, Tensor::conv_transpose)
        })
    }
}

/// The convolution along the last axes of `x` and `weight`, `[out, in, spatial..]`; multiplied as
/// [`operands`], accumulated and returned in the element type of `x`.
#[track_caller]
fn convolved(
    x: Tensor,
    weight: Tensor,
    bias: Option<Tensor>,
    options: &ConvOptions,
    convolve: impl FnOnce(Tensor, Tensor, isize, Vec<isize>, ConvOptions) -> Tensor,
) -> Tensor {
    let spatial = weight.rank().saturating_sub(2) as isize;
    let feature = -spatial - 1;
    let names = x.shape();
    let at = names.rank().checked_add_signed(feature);
    let name = at.and_then(|at| *names.names().get(at)?);
    let options = ConvOptions { accumulate: Some(x.dtype()), ..options.clone() };
    let axes = (-spatial..0).collect();
    let (x, weight) = operands(x, weight);
    let y = convolve(x, weight, feature, axes, options);
    let y = y.rename(feature, name.map_or("_", Name::as_str));
    match bias {
        Some(bias) => y + along(bias, y, feature.into()),
        None => y,
    }
}

impl Conv<Spec> {
    /// The specs of a layer from `inputs` to `outputs` features with a kernel of these sizes, with
    /// default options except for the groups.
    pub fn new<const N: usize>(
        inputs: usize,
        outputs: usize,
        kernel: [usize; N],
        groups: usize,
        bias: bool,
        dtype: DType,
    ) -> Conv<Spec> {
        Conv {
            weight: weight([outputs, inputs / groups.max(1)], kernel, dtype),
            bias: bias.then(|| Spec::new(dtype, [outputs])),
            options: ConvOptions::new().groups(groups),
        }
    }
}

impl ConvTranspose<Spec> {
    /// The specs of a layer from `inputs` to `outputs` features with a kernel of these sizes, with
    /// default options except for the groups.
    pub fn new<const N: usize>(
        inputs: usize,
        outputs: usize,
        kernel: [usize; N],
        groups: usize,
        bias: bool,
        dtype: DType,
    ) -> ConvTranspose<Spec> {
        ConvTranspose {
            weight: weight([inputs, outputs / groups.max(1)], kernel, dtype),
            bias: bias.then(|| Spec::new(dtype, [outputs])),
            options: ConvOptions::new().groups(groups),
        }
    }
}

fn weight<const N: usize>(features: [usize; 2], kernel: [usize; N], dtype: DType) -> Spec {
    Spec::new(dtype, [&features[..], &kernel].concat())
}
