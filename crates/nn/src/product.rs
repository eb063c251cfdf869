//! Products of activations with weights.

use crate::compute_dtype::compute_dtype;
use hloom_graph::{Axis, DotOptions, IntoAxes, Name, Tensor};

/// An activation and a weight in the element type that they are multiplied in: that of
/// [`compute_dtype`], or the weight's own for activations that are integers. Quantised blocks stay
/// as they are.
#[track_caller]
pub(crate) fn operands(x: Tensor, weight: Tensor) -> (Tensor, Tensor) {
    let stored = weight.dtype();
    if stored.block().is_some() {
        return (x.convert(compute_dtype(stored)), weight);
    }
    let dtype = if x.dtype().is_int() { stored } else { compute_dtype(stored) };
    (x.convert(dtype), weight.convert(dtype))
}

/// The dot product over `axes` of an activation and a weight: multiplied as [`operands`],
/// accumulated and returned in the activation's element type.
#[track_caller]
pub(crate) fn product(x: Tensor, weight: Tensor, axes: impl IntoAxes) -> Tensor {
    let options = DotOptions { accumulate: Some(x.dtype()), ..DotOptions::default() };
    let (x, weight) = operands(x, weight);
    x.dot_with(weight, axes, options)
}

/// The position of the axis of `x` that a layer works along: the one with the layer's own name,
/// else the last one.
pub(crate) fn own_axis(x: Tensor, own: Option<Name>) -> usize {
    let at = own.and_then(|own| x.shape().position(own).ok());
    at.unwrap_or(x.rank().saturating_sub(1))
}

/// The result of a layer that works along the last axis, for `x` with the axis of the layer at
/// `at`: with the axes in the order of `x`.
#[track_caller]
pub(crate) fn with_last(x: Tensor, at: usize, layer: impl FnOnce(Tensor) -> Tensor) -> Tensor {
    if at + 1 >= x.rank() {
        return layer(x);
    }
    layer(x.moveaxis(at, -1)).moveaxis(-1, at as isize)
}

/// The name of an axis of a weight.
pub(crate) fn name_of(weight: Tensor, axis: usize) -> Option<Name> {
    weight.shape().names().get(axis).copied().flatten()
}

/// A vector with the name of the last axis of `x` and its element type, so that both align.
#[track_caller]
pub(crate) fn along_last(vector: Tensor, x: Tensor) -> Tensor {
    let name = x.shape().names().last().copied().flatten();
    vector.convert(x.dtype()).named([name.map_or("_", Name::as_str)])
}

/// A vector along an axis of `x`, in its element type: it has the axis's name where all axes of `x`
/// have names, else as many axes of size 1 as there are after it.
#[track_caller]
pub(crate) fn along(vector: Tensor, x: Tensor, axis: Axis) -> Tensor {
    let (shape, vector) = (x.shape(), vector.convert(x.dtype()));
    let Ok(at) = shape.position(axis) else {
        // Records the error about the missing axis.
        return x.index(axis, 0);
    };
    match shape.names()[at] {
        Some(name) if shape.is_named() => vector.named([name.as_str()]),
        _ if vector.rank() != 1 => vector.named(["_"]),
        _ => {
            let ones = [1].repeat(shape.rank() - at - 1);
            vector.reshape([&[vector.size(0)], &*ones].concat())
        }
    }
}

/// `x`, `[.., in]`, times a transposed weight, `[out, in]`, as [`product`]: `[.., out]`, where the
/// axis of the outputs is called `name`.
#[track_caller]
pub(crate) fn times_weight(x: Tensor, weight: Tensor, name: Option<Name>) -> Tensor {
    let options = DotOptions { accumulate: Some(x.dtype()), ..DotOptions::default() };
    let (x, weight) = operands(x, weight.named(["_", "in"]));
    let y = x.dot_general(weight, &[(-1, 1)], &[] as &[(i32, i32)], options);
    y.rename(-1, name.map_or("_", Name::as_str))
}
