//! Products of activations with weights.

use hloom_graph::{DotOptions, IntoAxes, Name, Tensor};

/// The product over `axes` of an activation and a weight: computed in the weight's element type, summed and given in the
/// activation's.
#[track_caller]
pub(crate) fn product(x: Tensor, weight: Tensor, axes: impl IntoAxes) -> Tensor {
    let options = DotOptions {
        accumulate: Some(x.dtype()),
        ..DotOptions::default()
    };
    x.convert(weight.dtype()).dot_with(weight, axes, options)
}

/// A vector under the name of the last axis of `x` and in its element type, so that both align.
#[track_caller]
pub(crate) fn along_last(vector: Tensor, x: Tensor) -> Tensor {
    let name = x.shape().names().last().copied().flatten();
    vector.convert(x.dtype()).named([name.map_or("_", Name::as_str)])
}

/// `x`, `[.., in]`, times a transposed weight, `[out, in]`, as [`product`]: `[.., out]`.
#[track_caller]
pub(crate) fn times_weight(x: Tensor, weight: Tensor) -> Tensor {
    product(x.rename(-1, "in"), weight.named(["out", "in"]), "in")
}
