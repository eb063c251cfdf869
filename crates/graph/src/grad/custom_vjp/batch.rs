//! Functions with a derivative of their own over a batch axis.

use super::Counts;
use crate::{
    Tensor,
    body::Recorded,
    grad::is_differentiable,
    op::Composite,
    trace::{called_from, shape_of},
    vmap::{Lane, Lanes},
};

/// A function with its own derivative: a cotangent has the axis if its value has it, and the
/// cotangent of an input that is the same for every index is summed over the indices.
pub(super) fn batch(op: &Composite, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
    let mut flags: Vec<bool> = lanes.operands(node).iter().map(|lane| lane.is_batched).collect();
    let counts = Counts::of(&op.attributes);
    let own = counts.results + counts.residuals;
    let batched = lanes.batched_results(&node.regions[&op.body], &flags);
    flags[counts.inputs..][..counts.results].copy_from_slice(&batched[..counts.results]);
    let inputs = flags[..counts.inputs].to_vec();
    let is_number = |x: Tensor| shape_of(x).is_some_and(|s| is_differentiable(s.dtype()));
    lanes.kept_with(node, op, &flags, |lanes, i, lane| {
        let input = i.checked_sub(own).map(|i| inputs[i]);
        match (input, lane.is_batched) {
            (Some(true), false) => Lane::batched(lanes.fit(lane, true, node.location)),
            (Some(false), true) if is_number(lane.tensor) => {
                Lane::single(called_from(node.location, || lane.tensor.sum(0)))
            }
            _ => lane,
        }
    })
}
