//! Functions with a derivative of their own.
//!
//! The function, its residuals and its backward pass are one composite: of the inputs, then the
//! cotangents of the results, then values of outside; it returns the results, the residuals and the
//! cotangents of the inputs. Without a derivative only the results are used, and the rest is dead.

use super::{
    CUSTOM_VJP,
    closed::Closed,
    cotangents::bare,
    pull::Pull,
    tape::{Step, Tape, Tracked, is_differentiable},
};
use crate::{
    Attributes, RegionKind, Shape, Tensor, ValueId,
    body::{Body, Recorded},
    op::Composite,
    ops::{TensorTree, leaves, rebuild},
    trace::{at, emit, in_region_of, region_parameter, shape_of},
};
use std::{collections::HashSet, panic::Location, rc::Rc};

/// How many operands and results of the composite have which role.
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
/// `forward` returns the results and *residuals*: what `backward` needs. `backward` takes these and
/// the cotangents of the results, which have their shapes, and returns the cotangents of `xs`, of
/// the shapes of `xs`; those of integers are ignored. It is differentiated in its turn for higher
/// derivatives. `backward` is linear in the cotangents if [`jvp`](crate::jvp) is to be right.
///
/// Neither has effects: calls of the host in them are pure. A tensor of outside that they use must
/// not depend on the inputs of the derivative, which is an error; pass it in `xs`.
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
    const OP: &str = "custom_vjp";
    let location = Location::caller();
    let inputs = leaves(&xs);
    let Some(shapes) = emit(OP, &inputs, location, |_, s, _| Ok(s.to_vec())) else {
        let (y, _) = forward(rebuild(&xs, &[]));
        return rebuild(&y, &[]);
    };
    let (region, (y, counts)) =
        in_region_of(OP, RegionKind::Open, &shapes, &inputs, location, |own| {
            let (y, residuals) = forward(rebuild(&xs, own));
            let (mut all, kept) = (leaves(&y), leaves(&residuals));
            let cotangent = |&y: &Tensor| match shape_of(y) {
                Some(shape) => region_parameter(shape, location),
                None => Tensor::poisoned(),
            };
            let given: Vec<Tensor> = all.iter().map(cotangent).collect();
            let given = leaves(&backward(residuals, rebuild(&y, &given)));
            let counts = Counts { inputs: shapes.len(), results: all.len(), residuals: kept.len() };
            let checked = emit(OP, &given, location, |_, found, _| check(&shapes, found));
            all.extend(kept);
            match checked {
                Some(()) => all.extend(given),
                None => all.extend(given.iter().map(|_| Tensor::poisoned())),
            }
            (all, (y, counts))
        });
    let recorded = region.and_then(Closed::of).and_then(|closed| {
        let zeros = |&y: &Tensor| {
            let shape = shape_of(y)?;
            Some(at(location, || Tensor::zeros(shape.dtype(), shape.axes())))
        };
        let zeros: Option<Vec<Tensor>> = leaves(&y).iter().map(zeros).collect();
        let operands = [inputs, zeros?].concat();
        closed.record(OP, CUSTOM_VJP, counts.attributes(), &operands, location)
    });
    rebuild(&y, &recorded.unwrap_or_default())
}

/// Checks the cotangents that a backward pass returns.
fn check(inputs: &[Shape], found: &[Shape]) -> crate::trace::Rule<()> {
    if inputs.len() != found.len() {
        let (inputs, found) = (inputs.len(), found.len());
        return Err(format!("the backward pass returns {found} tensors for {inputs} inputs").into());
    }
    let is_wrong = |(_, (input, found)): &(usize, (&Shape, &Shape))| {
        is_differentiable(input.dtype()) && !input.same_layout(found)
    };
    match inputs.iter().zip(found).enumerate().find(is_wrong) {
        Some((i, (input, found))) => {
            Err(format!("the backward pass returns {found} for input {i}, which is {input}").into())
        }
        None => Ok(()),
    }
}

/// The nodes that these values need, up to those that are known.
fn needed(body: &Body, values: &[ValueId], known: &HashSet<ValueId>) -> Vec<Rc<Recorded>> {
    let mut wanted: HashSet<ValueId> =
        values.iter().copied().filter(|value| !known.contains(value)).collect();
    let mut nodes = Vec::new();
    for node in body.nodes.iter().rev() {
        if node.results.iter().any(|result| wanted.contains(result)) {
            let free = node.regions.values().flat_map(Body::free);
            let uses = node.operands.iter().copied().chain(free);
            wanted.extend(uses.filter(|value| !known.contains(value)));
            nodes.push(Rc::clone(node));
        }
    }
    nodes.reverse();
    nodes
}

impl Tape {
    /// The forward pass of a function with its own derivative.
    pub(super) fn custom_vjp(&mut self, node: &Rc<Recorded>, op: &Composite) -> Vec<Tracked> {
        let counts = Counts::of(&op.attributes);
        let (own, body) = (counts.results + counts.residuals, &node.regions[&op.body]);
        let operands = self.operands(node);
        let captured = &operands[counts.inputs + counts.results..];
        if let Some(depends) = captured.iter().find(|x| x.slot.is_some()) {
            let why = "`custom_vjp` uses a tensor of outside that depends on the inputs of the \
                       derivative; pass it as an argument, or stop its gradient";
            let poisoned =
                at(node.location, || crate::record_error("grad", &[depends.tensor], why));
            return vec![Tracked::constant(poisoned); counts.results];
        }
        let tensors: Vec<Tensor> = operands.iter().map(|x| x.tensor).collect();
        let mut tape = Tape::default();
        let nodes = needed(body, &body.results[..own], &HashSet::new());
        tape.replay(&body.parameters, &tensors, &nodes);
        let mut results = tape.tensors(&body.results[..own]);
        let residuals = results.split_off(counts.results);
        self.tracked_step(node, results, residuals)
    }
}

/// The backward pass of a function with its own derivative.
pub(super) fn pulled(pull: &Pull<'_>, op: &Composite) -> Vec<Option<Tensor>> {
    let Step { node, operands, residuals, .. } = pull.step;
    let counts = Counts::of(&op.attributes);
    let (own, body) = (counts.results + counts.residuals, &node.regions[&op.body]);
    let mut values = body.parameters.clone();
    let mut tensors: Vec<Tensor> = operands.iter().map(|x| x.tensor).collect();
    for i in 0..counts.results {
        let axes = body.shapes[counts.inputs + i].axes();
        tensors[counts.inputs + i] = pull.cotangent(i).reshape(axes);
    }
    values.extend(&body.results[counts.results..own]);
    tensors.extend(residuals);
    let wanted: Vec<usize> = (0..counts.inputs).filter(|&i| pull.wants(i)).collect();
    let results: Vec<ValueId> = wanted.iter().map(|&i| body.results[own + i]).collect();
    let known: HashSet<ValueId> = values.iter().copied().collect();
    let mut tape = Tape::default();
    tape.replay(&values, &tensors, &needed(body, &results, &known));
    let mut cotangents = vec![None; counts.inputs];
    for (&i, cotangent) in wanted.iter().zip(tape.tensors(&results)) {
        cotangents[i] = Some(bare(cotangent));
    }
    cotangents
}
