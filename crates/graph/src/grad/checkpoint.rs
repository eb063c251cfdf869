//! Checkpoints: the backward pass computes a function again instead of keeping its values.
//!
//! The function is a composite, whose body also returns the values that the policy saves where a
//! derivative is taken. Its backward pass is another checkpoint, which begins with a barrier:
//! otherwise the compiler would merge what is computed twice.

use super::{
    CHECKPOINT, CHECKPOINT_NAME,
    closed::Closed,
    pull::Pull,
    tape::{Tape, Tracked},
};
use crate::{
    Attribute, Attributes, Op, RegionKind, Shape, Tensor, ValueId,
    body::{Body, Recorded},
    graph::record_at,
    op::{Composite, OptimizationBarrier},
    ops::{TensorTree, leaves, rebuild, shared_composite},
    record,
    trace::{emit, in_region_of, shape_of},
};
use std::{
    collections::{HashSet, VecDeque},
    panic::Location,
    rc::Rc,
};

/// Which values of a [`checkpoint`] are saved for the backward pass besides its inputs, by the
/// names of `jax.checkpoint_policies`. Values inside of loops and branches are never saved.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum CheckpointPolicy {
    /// None.
    #[default]
    NothingSaveable,
    /// The results of dot products and convolutions.
    DotsSaveable,
    /// The results of dot products without batch axes, as those with weights.
    DotsWithNoBatchDimsSaveable,
    /// The values with one of these names, given by [`checkpoint_name`].
    SaveOnlyTheseNames(Vec<String>),
}

use CheckpointPolicy::{
    DotsSaveable, DotsWithNoBatchDimsSaveable, NothingSaveable, SaveOnlyTheseNames,
};

impl CheckpointPolicy {
    /// Saves the values with these names alone.
    pub fn save_only_these_names<N: Into<String>>(
        names: impl IntoIterator<Item = N>,
    ) -> CheckpointPolicy {
        SaveOnlyTheseNames(names.into_iter().map(Into::into).collect())
    }

    fn attributes(&self) -> Attributes {
        let (policy, names): (&str, &[String]) = match self {
            NothingSaveable => ("nothing_saveable", &[]),
            DotsSaveable => ("dots_saveable", &[]),
            DotsWithNoBatchDimsSaveable => ("dots_with_no_batch_dims_saveable", &[]),
            SaveOnlyTheseNames(names) => ("save_only_these_names", names),
        };
        let names: Attributes = names.iter().map(|name| (name.as_str(), true)).collect();
        let names = Some(names).filter(|names| !names.is_empty());
        let names = names.map(|names| ("names", Attribute::from(names)));
        names.into_iter().chain([("policy", policy.into())]).collect()
    }

    fn of(attributes: &Attributes) -> CheckpointPolicy {
        let names = || {
            let names = attributes.dictionary("names").into_iter().flat_map(Attributes::iter);
            names.map(|(name, _)| name.to_owned()).collect()
        };
        match attributes.string("policy") {
            Some("dots_saveable") => DotsSaveable,
            Some("dots_with_no_batch_dims_saveable") => DotsWithNoBatchDimsSaveable,
            Some("save_only_these_names") => SaveOnlyTheseNames(names()),
            _ => NothingSaveable,
        }
    }

    /// Whether the results of a node are saved.
    fn saves(&self, node: &Recorded) -> bool {
        match self {
            NothingSaveable => false,
            DotsSaveable => matches!(node.op, Op::Dot(_) | Op::Convolution(_)),
            DotsWithNoBatchDimsSaveable => {
                matches!(&node.op, Op::Dot(dims) if dims.left_batch.is_empty())
            }
            SaveOnlyTheseNames(names) => {
                let is_named = |op: &Composite| {
                    let own = op.attributes.string("name");
                    op.name == CHECKPOINT_NAME && names.iter().any(|name| Some(&**name) == own)
                };
                matches!(&node.op, Op::Composite(op) if is_named(op))
            }
        }
    }
}

/// The values that a policy saves, in the order of recording.
pub(crate) enum Saved {
    /// They are collected.
    Collected(CheckpointPolicy, Vec<Tensor>),
    /// They are known.
    Known(CheckpointPolicy, VecDeque<Tensor>),
}

impl Saved {
    pub fn has(&self, node: &Recorded) -> bool {
        let (Saved::Collected(policy, _) | Saved::Known(policy, _)) = self;
        policy.saves(node)
    }

    /// The results of a node that is saved, which `record` records.
    pub fn results(
        &mut self,
        node: &Recorded,
        record: impl FnOnce() -> Vec<Tensor>,
    ) -> Vec<Tensor> {
        match self {
            Saved::Collected(_, all) => {
                let tensors = record();
                all.extend(&tensors);
                tensors
            }
            Saved::Known(_, all) => {
                let next = || all.pop_front().unwrap_or_else(Tensor::poisoned);
                std::iter::repeat_with(next).take(node.results.len()).collect()
            }
        }
    }
}

/// The results of `f` at `xs`; for derivatives, `f` is computed again in the backward pass instead
/// of keeping its values in memory, as `jax.checkpoint`.
///
/// The backward pass keeps `xs`, the tensors of outside that `f` uses, and the values that `policy`
/// saves. Derivatives are the same as without; so are results where no derivative is taken. `f` has
/// no effects. In a loop, a checkpoint of the body keeps the carried values of each step alone.
///
/// ```
/// use hloom_graph::{CheckpointPolicy, Spec, Tensor, TraceScope, checkpoint, grad};
///
/// fn layer(x: Tensor, w: Tensor) -> Tensor {
///     x.dot(w, "in").rename("out", "in").tanh()
/// }
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([("batch", 8), ("in", 3)]), false);
/// let w = trace.parameter("w", &Spec::f32([("in", 3), ("out", 3)]), false);
/// let gradient = grad(w, |w| {
///     let policy = CheckpointPolicy::NothingSaveable;
///     checkpoint(x, policy, |x| layer(layer(x, w), w)).sum(..)
/// });
/// assert_eq!(gradient.shape(), w.shape());
/// ```
#[track_caller]
pub fn checkpoint<X: TensorTree, Y: TensorTree>(
    xs: X,
    policy: CheckpointPolicy,
    f: impl FnOnce(X) -> Y,
) -> Y {
    let location = Location::caller();
    let inputs = leaves(&xs);
    let Some(shapes) = emit("checkpoint", &inputs, location, |_, s, _| Ok(s.to_vec())) else {
        let y = f(rebuild(&xs, &[]));
        return rebuild(&y, &[]);
    };
    let kind = RegionKind::Open;
    let (region, y) = in_region_of("checkpoint", kind, &shapes, &inputs, location, |own| {
        let y = f(rebuild(&xs, own));
        (leaves(&y), y)
    });
    let attributes = policy.attributes();
    let results = region
        .and_then(Closed::of)
        .and_then(|closed| closed.record("checkpoint", CHECKPOINT, attributes, &inputs, location));
    rebuild(&y, &results.unwrap_or_default())
}

/// The tensor with a name for [`CheckpointPolicy::SaveOnlyTheseNames`], as
/// `jax.ad_checkpoint.checkpoint_name`; otherwise the same tensor.
///
/// ```
/// use hloom_graph::{CheckpointPolicy, Spec, TraceScope, checkpoint, checkpoint_name, grad};
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([3]), false);
/// let policy = CheckpointPolicy::save_only_these_names(["exponential"]);
/// let gradient = grad(x, |x| {
///     checkpoint(x, policy, |x| checkpoint_name(x.exp(), "exponential").sin()).sum(..)
/// });
/// assert_eq!(gradient.shape(), x.shape());
/// ```
#[track_caller]
pub fn checkpoint_name(x: Tensor, name: impl Into<String>) -> Tensor {
    let attributes = Attributes::new().with("name", name.into());
    shared_composite(CHECKPOINT_NAME, 1, attributes, &[x], |x| x[0])
}

impl Tape {
    /// The forward pass of a checkpoint.
    pub(crate) fn checkpoint(&mut self, node: &Rc<Recorded>, op: &Composite) -> Vec<Tracked> {
        let policy = CheckpointPolicy::of(&op.attributes);
        let body = &node.regions[&op.body];
        let mut tensors = match policy {
            NothingSaveable => self.copied(node),
            _ => {
                let kind = RegionKind::Isolated;
                let (region, ()) =
                    in_region_of("checkpoint", kind, &body.shapes, &[], node.location, |own| {
                        let mut tape = Tape::saving(Saved::Collected(policy, Vec::new()));
                        let own: Vec<Tracked> =
                            own.iter().copied().map(Tracked::constant).collect();
                        let results = tape.run(body, &own);
                        let mut all: Vec<Tensor> = results.iter().map(|x| x.tensor).collect();
                        if let Some(Saved::Collected(_, saved)) = tape.saved() {
                            all.extend(saved);
                        }
                        (all, ())
                    });
                let Some(body) = region else {
                    return vec![Tracked::constant(Tensor::poisoned()); node.results.len()];
                };
                let operands: Vec<Tensor> = self.operands(node).iter().map(|x| x.tensor).collect();
                record_at(node.location, Composite { body, ..op.clone() }.into(), &operands, None)
            }
        };
        let residuals = tensors.split_off(node.results.len().min(tensors.len()));
        self.tracked_step(node, tensors, residuals)
    }
}

/// The backward pass of a checkpoint.
pub(crate) fn pulled(pull: &Pull<'_>, op: &Composite) -> Vec<Option<Tensor>> {
    let step = pull.step;
    let location = step.node.location;
    let body = &step.node.regions[&op.body];
    let present: Vec<usize> =
        (0..step.results.len()).filter(|&i| pull.given(i).is_some()).collect();
    let wanted: Vec<usize> = (0..step.operands.len()).filter(|&i| pull.wants(i)).collect();
    let mut given: Vec<Tensor> = step.operands.iter().map(|x| x.tensor).collect();
    given.extend(&step.residuals);
    given.extend(present.iter().map(|&i| pull.cotangent(i)));
    let shapes: Option<Vec<Shape>> = given.iter().map(|&x| shape_of(x)).collect();
    let Some(shapes) = shapes else { return Vec::new() };
    // Isolated, so that no constant is merged with one of outside.
    let kind = RegionKind::Isolated;
    let (region, ()) = in_region_of("checkpoint", kind, &shapes, &[], location, |own| {
        let (inputs, rest) = own.split_at(step.operands.len());
        let (saved, cotangents) = rest.split_at(step.residuals.len());
        let policy = CheckpointPolicy::of(&op.attributes);
        let mut tape = Tape::saving(Saved::Known(policy, saved.iter().copied().collect()));
        let inputs: Vec<Tracked> = inputs
            .iter()
            .enumerate()
            .map(|(i, &x)| if pull.wants(i) { tape.track(x) } else { Tracked::constant(x) })
            .collect();
        let results = tape.run(body, &inputs);
        let pairs: Vec<(Tracked, Tensor)> =
            present.iter().zip(cotangents).map(|(&i, &g)| (results[i], g)).collect();
        let found = tape.pull(&pairs);
        (wanted.iter().map(|&i| found.bare(inputs[i])).collect(), ())
    });
    let Some(joint) = region.and_then(Body::of) else { return Vec::new() };
    // What the barrier takes stays in memory: only values that the backward pass uses.
    let mut used: HashSet<ValueId> = joint.results.iter().copied().collect();
    used.extend(joint.nodes.iter().flat_map(|node| &node.operands));
    used.extend(joint.nodes.iter().flat_map(|n| n.regions.values()).flat_map(Body::free));
    let kept: Vec<usize> =
        (0..given.len()).filter(|&i| used.contains(&joint.parameters[i])).collect();
    let values: Vec<ValueId> = kept.iter().map(|&i| joint.parameters[i]).collect();
    let operands: Vec<Tensor> = kept.iter().map(|&i| given[i]).collect();
    let shapes: Vec<Shape> = kept.iter().map(|&i| shapes[i]).collect();
    let (body, ()) = in_region_of("checkpoint", kind, &shapes, &[], location, |own| {
        // A barrier of nothing is no op.
        let own = if own.is_empty() { Vec::new() } else { record(OptimizationBarrier, own) };
        let mut tape = Tape::default();
        tape.replay(&values, &own, &joint.nodes);
        (tape.tensors(&joint.results), ())
    });
    let Some(body) = body else { return Vec::new() };
    let composite = Composite { attributes: NothingSaveable.attributes(), body, ..op.clone() };
    let results = record_at(location, composite.into(), &operands, None);
    let mut cotangents = vec![None; step.operands.len()];
    for (&i, cotangent) in wanted.iter().zip(results) {
        cotangents[i] = Some(cotangent);
    }
    cotangents
}
