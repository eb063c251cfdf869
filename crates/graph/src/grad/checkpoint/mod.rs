//! Checkpoints: the backward pass computes a function again instead of keeping its values.
//!
//! The function is a composite, whose body also returns the values that the policy saves where a
//! derivative is taken. Its backward pass is another checkpoint, which begins with a barrier:
//! otherwise the compiler would merge the two computations (CSE).

mod policy;
mod reverse;

use super::closed::Closed;
use crate::{
    Attributes, RegionKind, Tensor,
    op::OwnComposite,
    ops::{CompositeRules, EXPANDED, TensorTree, leaves, rebuild},
    trace::{emit, in_region_of},
};
pub use policy::CheckpointPolicy;
pub(super) use policy::Saved;
use std::panic::Location;

/// The rules of [`checkpoint`].
pub(crate) const RULES: CompositeRules = CompositeRules {
    expand: |_, _| false,
    batch: |op, lanes, node| lanes.kept(op, node),
    record: reverse::record,
    pull: reverse::pull,
};

/// The rules of [`checkpoint_name`]: the value has its name where a checkpoint saves it.
pub(crate) const NAME_RULES: CompositeRules = CompositeRules {
    expand: |tape, node| !tape.saves(node),
    batch: |op, lanes, node| lanes.kept(op, node),
    record: |op, tape, node| {
        if tape.saves(node) {
            return tape.plain(node);
        }
        (EXPANDED.record)(op, tape, node)
    },
    pull: |_, pull| pull.one(pull.g()),
};

/// The results of `f` at `xs`; for derivatives, `f` is computed again in the backward pass instead
/// of keeping its values in memory, as `jax.checkpoint`.
///
/// The backward pass keeps `xs`, the tensors that `f` captures, and the values that `policy` saves.
/// Derivatives and results are the same as without the checkpoint. `f` has no effects. In a loop, a
/// checkpoint of the body keeps only the carried values of each step.
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
    let results = region.and_then(Closed::of).and_then(|closed| {
        closed.record("checkpoint", OwnComposite::CHECKPOINT, attributes, &inputs, location)
    });
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
    OwnComposite::CHECKPOINT_NAME.call(1, attributes, &[x], |x| x[0])
}
