//! Products of activations with weights.

use hloom_graph::{DType, Dims, DotOptions, IntoAxes, Name, Tensor, optimization_barrier};

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
///
/// Several rows in `f32` are multiplied from the right, as columns. On the CPU, XLA copies a weight that stands on the right
/// with its contracted axis last, at every call, or keeps a second copy of it; one that stands on the left it reads where it
/// is. The barriers keep XLA from turning the product around again.
#[track_caller]
pub(crate) fn times_weight(x: Tensor, weight: Tensor) -> Tensor {
    let x = x.rename(-1, "in");
    let weight = weight.named(["out", "in"]);
    let rows = x.shape().element_count() / x.size(-1).max(1);
    if rows <= 1 || x.dtype() != DType::F32 || weight.dtype() != DType::F32 {
        return product(x, weight, "in");
    }
    let shape = x.shape();
    let leading = shape.names().iter().copied().zip(shape.sizes().iter().copied());
    let result = leading
        .take(x.rank() - 1)
        .chain([(Some(Name::new("out")), weight.size("out"))]);
    let columns = x.reshape([rows, x.size("in")]).transpose([1, 0]).named(["in", "row"]);
    let product = weight.dot(optimization_barrier(columns), "in");
    optimization_barrier(product)
        .transpose(["row", "out"])
        .reshape(Dims::new(result))
}
