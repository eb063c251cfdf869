//! Derivatives composed of pullbacks: forward mode, Jacobians and Hessians.

use super::{grad, vjp};
use crate::{
    Dims, Name, Tensor,
    ops::{TensorTree, leaves, rebuild},
    trace::{emit, function_scope, shape_of},
    vmap,
};
use std::panic::Location;

/// The results of `f` at `xs` and their derivatives in the direction `tangents`, as `jax.jvp`.
///
/// It is computed as the pullback of the pullback, which is linear: ops need no forward rule.
/// Tangents have the shapes of `xs`; the tangents of inputs without derivatives, such as integers,
/// are ignored, and those of such results are zeros.
///
/// ```
/// use hloom_graph::{Spec, TraceScope, jvp};
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([("in", 3)]), false);
/// let direction = trace.parameter("direction", &Spec::f32([("in", 3)]), false);
/// let (y, slope) = jvp(x, direction, |x| (x * x).sum(..));
/// assert_eq!(slope.shape(), y.shape());
/// ```
#[track_caller]
pub fn jvp<X: TensorTree, Y: TensorTree>(xs: X, tangents: X, f: impl FnOnce(X) -> Y) -> (Y, Y) {
    let location = Location::caller();
    let (inputs, directions) = (leaves(&xs), leaves(&tangents));
    let count = inputs.len();
    let checked = emit("jvp", &[inputs, directions].concat(), location, |_, s, _| {
        let (xs, tangents) = s.split_at(count);
        if xs.len() != tangents.len() {
            return Err(format!("{} tangents for {count} inputs", tangents.len()).into());
        }
        match xs.iter().zip(tangents).find(|(x, tangent)| !tangent.fits(x)) {
            Some((x, tangent)) => {
                let hint = tangent.order_hint(x);
                Err(format!("a tangent of {x} has its type and sizes, not {tangent}{hint}").into())
            }
            None => Ok(()),
        }
    });
    let (ys, pullback) = vjp(xs, f);
    if checked.is_none() {
        let none = rebuild(&ys, &[]);
        return (ys, none);
    }
    // The value at which a linear function is differentiated makes no difference.
    let zeros: Vec<Tensor> = leaves(&ys).into_iter().map(zeros_like).collect();
    let (_, transposed) = vjp(rebuild(&ys, &zeros), |cotangents| pullback.apply(cotangents));
    let slopes = transposed.apply(tangents);
    (ys, slopes)
}

#[track_caller]
fn zeros_like(x: Tensor) -> Tensor {
    shape_of(x).map_or(x, |shape| Tensor::zeros(shape.dtype(), shape.axes()))
}

/// The derivatives of every element of `f(x)` by every element of `x`, as `jax.jacrev`: the axes of
/// the result, then those of `x`, without names that are in both.
///
/// ```
/// use hloom_graph::{Spec, TraceScope, jacobian};
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([("in", 3)]), false);
/// let matrix = trace.parameter("matrix", &Spec::f32([("out", 2), ("in", 3)]), false);
/// let slopes = jacobian(x, |x| matrix.dot(x, "in").sin());
/// assert_eq!(slopes.shape().to_string(), "f32[out=2, in=3]");
/// ```
#[track_caller]
pub fn jacobian(x: Tensor, f: impl FnOnce(Tensor) -> Tensor) -> Tensor {
    let (y, pullback) = vjp(x, f);
    let location = Location::caller();
    let checked = emit("jacobian", &[x, y], location, |_, s, _| {
        if !s[1].dtype().is_float() && !s[1].dtype().is_complex() {
            return Err(format!("{} has no derivatives", s[1]).into());
        }
        let axes = |own: usize, other: usize| {
            let names = s[own].names().iter().map(move |name: &Option<Name>| {
                name.filter(|name| !s[other].names().contains(&Some(*name)))
            });
            names.zip(s[own].sizes().iter().copied())
        };
        Ok(Dims::new(axes(1, 0).chain(axes(0, 1)))?)
    });
    let Some(dims) = checked else { return Tensor::poisoned() };
    function_scope("jacobian", || {
        let shape = y.shape();
        let count = shape.element_count();
        let sizes = [&[count], shape.sizes()].concat();
        let each = Tensor::eye(shape.dtype(), [count, count]).reshape(sizes);
        vmap(each, 0, |cotangent| pullback.apply(cotangent)).reshape(dims)
    })
}

/// The second derivatives of a loss by every pair of elements of `x`, as `jax.hessian`: the axes
/// of `x`, twice, without names.
///
/// ```
/// use hloom_graph::{Spec, TraceScope, hessian};
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([("in", 3)]), false);
/// assert_eq!(hessian(x, |x| x.sin().sum(..)).shape().to_string(), "f32[3, 3]");
/// ```
#[track_caller]
pub fn hessian(x: Tensor, loss: impl FnOnce(Tensor) -> Tensor) -> Tensor {
    jacobian(x, |x| grad(x, loss))
}
