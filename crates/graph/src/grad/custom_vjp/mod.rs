//! Functions with a derivative of their own.
//!
//! The function, its residuals and its backward pass are one composite. Its operands are the
//! inputs, the cotangents of the results, and captured values; its results are those of the
//! function, the residuals, and the cotangents of the inputs. The latter are dead in the program:
//! the backward pass records their nodes again.

mod batch;
mod reverse;

use super::{Caller, closed::Closed, tape::is_differentiable};
use crate::{
    Attributes, RegionKind, Shape, Tensor,
    op::OwnComposite,
    ops::{CompositeRules, TensorTree, leaves, rebuild},
    trace::{called_from, emit, in_region_of, region_parameter, shape_of},
};
use std::panic::Location;

/// The composite stays, so that derivatives of the derivative are also the function's own.
pub(crate) const RULES: CompositeRules = CompositeRules {
    expand: |_, _| false,
    batch: batch::batch,
    record: reverse::record,
    pull: reverse::pull,
};

const OP: &str = "custom_vjp";

/// The numbers of the composite's operands and results by role.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    pub inputs: usize,
    pub results: usize,
    pub residuals: usize,
}

impl Counts {
    pub fn of(attributes: &Attributes) -> Counts {
        let count = |name| {
            attributes.scalar::<i64>(name).and_then(|count| count.try_into().ok()).unwrap_or(0)
        };
        Counts { inputs: count("inputs"), results: count("results"), residuals: count("residuals") }
    }

    fn attributes(self) -> Attributes {
        Attributes::new()
            .with("inputs", self.inputs as i64)
            .with("results", self.results as i64)
            .with("residuals", self.residuals as i64)
    }
}

/// A function with a derivative of its own, as `jax.custom_vjp`.
///
/// `forward` returns the results and *residuals*: the values that `backward` needs. `backward`
/// takes these and the cotangents of the results, which have their shapes, and returns the
/// cotangents of `xs`, of the shapes of `xs`; those of integers are ignored. It is itself
/// differentiated for higher derivatives: there the results have the function's own derivative
/// again, and other residuals have the derivative of their ops. `backward` is linear in the
/// cotangents if [`jvp`](crate::jvp) is to be right.
///
/// Neither has effects: calls of the host in them are pure. A tensor that they capture must not
/// depend on the inputs of the derivative, which is an error; pass such a tensor in `xs`.
///
/// ```
/// use hloom_graph::{Spec, TraceScope, custom_vjp, grad};
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([3]), false);
/// // The derivative of rounding is that of its input: a straight-through estimator.
/// let gradient = grad(x, |x| {
///     let rounded = custom_vjp(x, |x| (x.round_even(), x), |_, g| g);
///     (rounded * rounded).sum(..)
/// });
/// assert_eq!(gradient.shape(), x.shape());
/// ```
#[track_caller]
pub fn custom_vjp<X: TensorTree, Y: TensorTree, R: TensorTree>(
    xs: X,
    forward: impl FnOnce(X) -> (Y, R),
    backward: impl FnOnce(R, Y) -> X,
) -> Y {
    let inputs = leaves(&xs);
    let mut functions =
        Traced { xs, forward: Some(forward), backward: Some(backward), y: None, residuals: None };
    let results = record(inputs, Location::caller(), &mut functions);
    rebuild(&functions.y.expect("the forward pass runs once"), &results)
}

/// Both functions without their trees, so that the code that records them is compiled once.
trait Functions {
    /// The results and the residuals, for these inputs.
    fn forward(&mut self, inputs: &[Tensor]) -> [Vec<Tensor>; 2];
    /// The cotangents of the inputs for these cotangents of the results. Called once, after the
    /// forward pass.
    fn backward(&mut self, cotangents: &[Tensor]) -> Vec<Tensor>;
}

struct Traced<X, Y, R, F, B> {
    xs: X,
    forward: Option<F>,
    backward: Option<B>,
    y: Option<Y>,
    residuals: Option<R>,
}

impl<X, Y, R, F, B> Functions for Traced<X, Y, R, F, B>
where
    X: TensorTree,
    Y: TensorTree,
    R: TensorTree,
    F: FnOnce(X) -> (Y, R),
    B: FnOnce(R, Y) -> X,
{
    fn forward(&mut self, inputs: &[Tensor]) -> [Vec<Tensor>; 2] {
        let Some(forward) = self.forward.take() else { return Default::default() };
        let (y, residuals) = forward(rebuild(&self.xs, inputs));
        let all = [leaves(&y), leaves(&residuals)];
        (self.y, self.residuals) = (Some(y), Some(residuals));
        all
    }

    fn backward(&mut self, cotangents: &[Tensor]) -> Vec<Tensor> {
        let functions = (self.backward.take(), self.residuals.take(), &self.y);
        let (Some(backward), Some(residuals), Some(y)) = functions else { return Vec::new() };
        leaves(&backward(residuals, rebuild(y, cotangents)))
    }
}

/// Records the composite and returns its results, or none after an error.
fn record(inputs: Vec<Tensor>, location: Caller, functions: &mut dyn Functions) -> Vec<Tensor> {
    let Some(shapes) = emit(OP, &inputs, location, |_, s, _| Ok(s.to_vec())) else {
        functions.forward(&[]);
        return Vec::new();
    };
    let (region, (y, counts)) =
        in_region_of(OP, RegionKind::Open, &shapes, &inputs, location, |own| {
            let [y, kept] = functions.forward(own);
            let cotangent = |&y: &Tensor| match shape_of(y) {
                Some(shape) => region_parameter(shape, location),
                None => Tensor::poisoned(),
            };
            let given: Vec<Tensor> = y.iter().map(cotangent).collect();
            let given = functions.backward(&given);
            let counts = Counts { inputs: shapes.len(), results: y.len(), residuals: kept.len() };
            let given = match emit(OP, &given, location, |_, found, _| check(&shapes, found)) {
                Some(()) => given,
                None => vec![Tensor::poisoned(); given.len()],
            };
            ([y.as_slice(), &kept, &given].concat(), (y, counts))
        });
    let recorded = region.and_then(Closed::of).and_then(|closed| {
        let zeros = |&y: &Tensor| {
            let shape = shape_of(y)?;
            Some(called_from(location, || Tensor::zeros(shape.dtype(), shape.axes())))
        };
        let zeros: Option<Vec<Tensor>> = y.iter().map(zeros).collect();
        let operands = [inputs, zeros?].concat();
        closed.record(OP, OwnComposite::CUSTOM_VJP, counts.attributes(), &operands, location)
    });
    recorded.unwrap_or_default()
}

/// Checks the cotangents that a backward pass returns.
fn check(inputs: &[Shape], found: &[Shape]) -> crate::trace::Rule<()> {
    if inputs.len() != found.len() {
        let (inputs, found) = (inputs.len(), found.len());
        return Err(format!("the backward pass returns {found} tensors for {inputs} inputs").into());
    }
    let is_wrong = |(_, (input, found)): &(usize, (&Shape, &Shape))| {
        is_differentiable(input.dtype()) && !found.fits(input)
    };
    match inputs.iter().zip(found).enumerate().find(is_wrong) {
        Some((i, (input, found))) => {
            let hint = found.order_hint(input);
            let message =
                format!("the backward pass returns {found} for input {i}, which is {input}{hint}");
            Err(message.into())
        }
        None => Ok(()),
    }
}
