//! Derivatives of functions: reverse mode.
//!
//! A function is traced into a region of its own, and its nodes are recorded again where the
//! derivative is taken: the *forward pass*. Nodes that depend on the inputs are remembered. The
//! *backward pass* visits them in reverse order, and turns the cotangents of their results into
//! those of their operands by the [rule](Vjp) of each op. Rules consist of ops that have rules
//! themselves: derivatives can be differentiated and mapped again.
//!
//! A value without a cotangent has none recorded: zeros are not added. Conventions are those of
//! JAX: cotangents of complex values are not conjugated, and equal maxima share a cotangent.

mod checkpoint;
mod closed;
mod cotangents;
mod custom_vjp;
mod derived;
mod loops;
mod parts;
mod pull;
mod rule;
mod stop_gradient;
mod tape;

use crate::{
    Attributes, Shape, Tensor, ValueId,
    body::{Body, are_computed_from},
    op::OwnComposite,
    ops::{TensorTree, leaves, rebuild},
    trace::{called_from, emit, in_region, shape_of},
};
pub use checkpoint::{CheckpointPolicy, checkpoint, checkpoint_name};
pub(crate) use checkpoint::{NAME_RULES as CHECKPOINT_NAME_RULES, RULES as CHECKPOINT_RULES};
pub(crate) use cotangents::without_names;
pub(crate) use custom_vjp::RULES as CUSTOM_VJP_RULES;
pub use custom_vjp::custom_vjp;
pub use derived::{hessian, jacobian, jvp};
pub(crate) use loops::{Loop, reversed};
pub(crate) use parts::Parts;
pub(crate) use pull::Pull;
pub(crate) use rule::{Vjp, keeps_operands, no_derivative, zero_derivative};
use std::{collections::HashSet, marker::PhantomData, panic::Location};
pub(crate) use stop_gradient::RULES as STOP_GRADIENT_RULES;
pub(crate) use tape::{Reverse, Step, Tape, Tracked, is_differentiable};

type Caller = &'static Location<'static>;

/// The linear function that maps cotangents of the results of a function to cotangents of its
/// inputs, as [`vjp`] returns it.
pub struct Pullback<X, Y> {
    tape: Tape,
    inputs: Vec<Tracked>,
    results: Vec<Tracked>,
    xs: X,
    /// Whether the function could not be recorded, which is an error of the trace.
    has_failed: bool,
    location: Caller,
    ys: PhantomData<fn(Y)>,
}

/// A recorded function.
struct Forward<Y> {
    tape: Tape,
    inputs: Vec<Tracked>,
    results: Vec<Tracked>,
    /// The value that the function returned; its tensors are those of the region of its trace.
    traced: Y,
    /// The values that the first result is computed from.
    needed: HashSet<ValueId>,
    /// Whether an input is among these.
    uses_inputs: bool,
}

/// Records `f` for these inputs, and returns its tape and its results.
fn forward<Y: TensorTree>(
    op: &'static str,
    inputs: &[Tensor],
    location: Caller,
    f: impl FnOnce(&[Tensor]) -> Y,
) -> Result<Forward<Y>, Y> {
    let Some(shapes) = emit(op, inputs, location, |_, shapes, _| Ok(shapes.to_vec())) else {
        return Err(f(&vec![Tensor::poisoned(); inputs.len()]));
    };
    // The region has no owner: only the nodes that are recorded from it are computed.
    let (region, traced) = in_region(op, &shapes, location, |parameters| {
        let y = f(parameters);
        (leaves(&y), y)
    });
    let Some(body) = region.and_then(Body::of) else { return Err(traced) };
    let mut tape = Tape::default();
    let inputs: Vec<Tracked> = inputs.iter().map(|&x| tape.track(x)).collect();
    let results = tape.run(&body, &inputs);
    let needed = body.needed_for(0);
    let uses_inputs = body.parameters.iter().any(|parameter| needed.contains(parameter));
    Ok(Forward { tape, inputs, results, traced, needed, uses_inputs })
}

fn tensors(values: &[Tracked]) -> Vec<Tensor> {
    values.iter().map(|value| value.tensor).collect()
}

/// The results of `f` at `xs`, and the function that maps cotangents of the results to cotangents
/// of `xs`, as `jax.vjp`.
///
/// Tensors of the trace that `f` uses besides its argument are constants.
///
/// ```
/// use hloom_graph::{Spec, TraceScope, vjp};
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([("in", 3)]), false);
/// let matrix = trace.parameter("matrix", &Spec::f32([("out", 2), ("in", 3)]), false);
/// let (y, pullback) = vjp(x, |x| matrix.dot(x, "in").tanh());
/// assert_eq!(y.shape().to_string(), "f32[out=2]");
/// assert_eq!(pullback.apply(y).shape().to_string(), "f32[in=3]");
/// ```
#[track_caller]
pub fn vjp<X: TensorTree, Y: TensorTree>(xs: X, f: impl FnOnce(X) -> Y) -> (Y, Pullback<X, Y>) {
    let location = Location::caller();
    let forward = forward("vjp", &leaves(&xs), location, |inputs| f(rebuild(&xs, inputs)));
    let pullback = |tape, inputs, results, has_failed| Pullback {
        tape,
        inputs,
        results,
        xs: xs.clone(),
        has_failed,
        location,
        ys: PhantomData,
    };
    match forward {
        Ok(Forward { tape, inputs, results, traced, .. }) => {
            let ys = rebuild(&traced, &tensors(&results));
            (ys, pullback(tape, inputs, results, false))
        }
        Err(traced) => {
            (rebuild(&traced, &[]), pullback(Tape::default(), Vec::new(), Vec::new(), true))
        }
    }
}

impl<X: TensorTree, Y: TensorTree> Pullback<X, Y> {
    /// The cotangents of the inputs, of their shapes, for cotangents of the results; those of
    /// inputs without derivatives, such as integers, are zeros.
    ///
    /// A cotangent has the element type and the sizes of its result; a cotangent of another type or
    /// size is an error, and so is another number of cotangents.
    #[track_caller]
    pub fn apply(&self, cotangents: Y) -> X {
        let given = leaves(&cotangents);
        let location = Location::caller();
        let expected: Vec<Option<Shape>> =
            self.results.iter().map(|result| shape_of(result.tensor)).collect();
        let checked = emit("vjp", &given, location, |_, found, _| {
            // A function that failed has no known results, and has reported its error.
            if !self.has_failed && found.len() != expected.len() {
                let (found, expected) = (found.len(), expected.len());
                return Err(format!("{found} cotangents for {expected} results").into());
            }
            let wrong = |(e, f): &(&Option<Shape>, &Shape)| e.is_some_and(|e| !f.fits(&e));
            match expected.iter().zip(found).find(wrong) {
                Some((Some(e), f)) => {
                    let hint = f.order_hint(e);
                    Err(format!("a cotangent of {e} has its type and sizes, not {f}{hint}").into())
                }
                _ => Ok(()),
            }
        });
        if checked.is_none() || self.has_failed {
            return rebuild(&self.xs, &[]);
        }
        let pairs: Vec<(Tracked, Tensor)> = self.results.iter().copied().zip(given).collect();
        called_from(self.location, || rebuild(&self.xs, &pulled(&self.tape, &self.inputs, &pairs)))
    }
}

impl<X, Y> std::fmt::Debug for Pullback<X, Y> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pullback({} inputs, {} results)", self.inputs.len(), self.results.len())
    }
}

fn pulled(tape: &Tape, inputs: &[Tracked], results: &[(Tracked, Tensor)]) -> Vec<Tensor> {
    let cotangents = tape.pull(results);
    inputs.iter().map(|&input| sharded_as(input.tensor, cotangents.of(input))).collect()
}

/// A cotangent with the sharding of the function's argument that it belongs to: sums over devices
/// then only sum the parts, and an update moves no data.
fn sharded_as(argument: Tensor, cotangent: Tensor) -> Tensor {
    let sharding = emit("grad", &[argument], Location::caller(), |builder, _, values| {
        Ok(values.first().and_then(|&value| builder.argument_sharding(value)))
    });
    match sharding.flatten() {
        Some(sharding) => cotangent.constrain_to(sharding),
        None => cotangent,
    }
}

/// A loss and its gradient with respect to `params`, as `jax.value_and_grad`.
///
/// `loss` returns one float. The gradient has the shapes and element types of `params`; parameters
/// without derivatives, such as integers, are constants, and their gradients are zeros. Tensors of
/// the trace that `loss` uses besides its argument are constants, and so is
/// [`stop_gradient`](Tensor::stop_gradient) of any value. A loss that uses the parameters only from
/// outside, and not its argument, is an error.
///
/// An op without a derivative on the way from a parameter to the loss, such as
/// [`while_loop`](crate::while_loop), is an error that names it and its line. Composites are
/// expanded.
///
/// ```
/// use hloom_graph::{Spec, TraceScope, value_and_grad};
///
/// let trace = TraceScope::begin("example");
/// let weight = trace.parameter("weight", &Spec::f32([("out", 2), ("in", 3)]), false);
/// let bias = trace.parameter("bias", &Spec::f32([("out", 2)]), false);
/// let x = trace.parameter("x", &Spec::f32([("batch", 8), ("in", 3)]), false);
/// let (loss, (of_weight, of_bias)) = value_and_grad((weight, bias), |(weight, bias)| {
///     (x.dot(weight, "in") + bias).tanh().mean(..)
/// });
/// assert_eq!(loss.shape().to_string(), "f32[]");
/// assert_eq!(of_weight.shape(), weight.shape());
/// assert_eq!(of_bias.shape(), bias.shape());
/// ```
#[track_caller]
pub fn value_and_grad<P: TensorTree>(params: P, loss: impl FnOnce(P) -> Tensor) -> (Tensor, P) {
    let none = Vec::<Tensor>::new();
    let (value, _, gradient) = differentiated("value_and_grad", params, |p| (loss(p), none));
    (value, gradient)
}

/// As [`value_and_grad`], for a function that returns a loss and other tensors, which are not
/// differentiated.
#[track_caller]
pub fn value_and_grad_aux<P: TensorTree, A: TensorTree>(
    params: P,
    loss: impl FnOnce(P) -> (Tensor, A),
) -> ((Tensor, A), P) {
    let (value, aux, gradient) = differentiated("value_and_grad_aux", params, loss);
    ((value, aux), gradient)
}

/// The gradient of a loss with respect to `params`, as [`value_and_grad`] computes it.
#[track_caller]
pub fn grad<P: TensorTree>(params: P, loss: impl FnOnce(P) -> Tensor) -> P {
    differentiated("grad", params, |p| (loss(p), Vec::<Tensor>::new())).2
}

#[track_caller]
fn differentiated<P: TensorTree, A: TensorTree>(
    op: &'static str,
    params: P,
    loss: impl FnOnce(P) -> (Tensor, A),
) -> (Tensor, A, P) {
    let location = Location::caller();
    let recorded = forward(op, &leaves(&params), location, |inputs| loss(rebuild(&params, inputs)));
    let Forward { tape, inputs, results, traced, needed, uses_inputs } = match recorded {
        Ok(forward) => forward,
        Err((_, aux)) => return (Tensor::poisoned(), rebuild(&aux, &[]), rebuild(&params, &[])),
    };
    let (value, aux) = rebuild(&traced, &tensors(&results));
    let differentiable = inputs.iter().filter(|input| input.slot.is_some());
    let sources: Vec<ValueId> = differentiable.map(|input| input.tensor.value()).collect();
    // Its gradient would silently be zeros.
    let is_around_its_argument = !uses_inputs && are_computed_from(needed, &sources);
    let checked = emit(op, &[value], location, |_, s, _| {
        if s[0].rank() != 0 || !s[0].dtype().is_float() {
            return Err(format!("the loss is {}, not one float; use `vjp`", s[0]).into());
        }
        if is_around_its_argument {
            return Err("the loss is computed from the parameters outside of its function, and \
                        not from its argument: tensors of the trace around it are constants"
                .into());
        }
        Ok(())
    });
    if checked.is_none() {
        return (value, aux, rebuild(&params, &[]));
    }
    let gradient = called_from(location, || {
        let one = value.full_like(1);
        rebuild(&params, &pulled(&tape, &inputs, &[(results[0], one)]))
    });
    (value, aux, gradient)
}

#[hloom_derive::tensor_methods(grad)]
impl Tensor {
    /// The tensor as a constant for derivatives, as `jax.lax.stop_gradient`.
    ///
    /// ```
    /// use hloom_graph::{Spec, TraceScope, grad};
    ///
    /// let trace = TraceScope::begin("example");
    /// let x = trace.parameter("x", &Spec::f32([3]), false);
    /// // The gradient is `x`, not `2 * x`.
    /// let gradient = grad(x, |x| (x.stop_gradient() * x).sum(..));
    /// assert_eq!(gradient.shape(), x.shape());
    /// ```
    #[doc(alias = "detach")]
    #[track_caller]
    pub fn stop_gradient(self) -> Tensor {
        OwnComposite::STOP_GRADIENT.call(1, Attributes::new(), &[self], |x| x[0])
    }
}
