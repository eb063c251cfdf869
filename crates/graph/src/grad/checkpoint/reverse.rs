//! The derivative of a checkpoint: its backward pass is another checkpoint, which begins with a
//! barrier.

use super::policy::{CheckpointPolicy, Saved};
use crate::{
    RegionKind, Shape, Tensor, ValueId,
    body::{Body, Recorded},
    grad::{Pull, Tape, Tracked},
    graph::record_at,
    op::{Composite, OptimizationBarrier},
    record as record_op,
    trace::{in_region_of, shape_of},
};
use std::{collections::HashSet, rc::Rc};

/// The forward pass of a checkpoint.
pub(super) fn record(op: &Composite, tape: &mut Tape, node: &Rc<Recorded>) -> Vec<Tracked> {
    let policy = CheckpointPolicy::of(&op.attributes);
    let body = &node.regions[&op.body];
    let mut tensors = match policy {
        CheckpointPolicy::NothingSaveable => tape.copied(node),
        _ => {
            let kind = RegionKind::Isolated;
            let (region, ()) =
                in_region_of("checkpoint", kind, &body.shapes, &[], node.location, |own| {
                    let mut inner = Tape::saving(Saved::Collected(policy, Vec::new()));
                    let own: Vec<Tracked> = own.iter().copied().map(Tracked::constant).collect();
                    let results = inner.run(body, &own);
                    let mut all: Vec<Tensor> = results.iter().map(|x| x.tensor).collect();
                    if let Some(Saved::Collected(_, saved)) = inner.saved() {
                        all.extend(saved);
                    }
                    (all, ())
                });
            let Some(body) = region else {
                return vec![Tracked::constant(Tensor::poisoned()); node.results.len()];
            };
            let operands: Vec<Tensor> = tape.operands(node).iter().map(|x| x.tensor).collect();
            record_at(node.location, Composite { body, ..op.clone() }.into(), &operands, None)
        }
    };
    let residuals = tensors.split_off(node.results.len().min(tensors.len()));
    tape.tracked_step(node, tensors, residuals)
}

/// The backward pass of a checkpoint.
pub(super) fn pull(op: &Composite, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
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
    // Isolated, so that no constant is merged with one outside of the region.
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
        (wanted.iter().map(|&i| found.unnamed(inputs[i])).collect(), ())
    });
    let Some(joint) = region.and_then(Body::of) else { return Vec::new() };
    // Operands of the barrier stay in memory: only values that the backward pass uses.
    let mut used: HashSet<ValueId> = joint.results.iter().copied().collect();
    used.extend(joint.nodes.iter().flat_map(|node| &node.operands));
    used.extend(joint.nodes.iter().flat_map(|n| n.regions.values()).flat_map(Body::free));
    let kept: Vec<usize> =
        (0..given.len()).filter(|&i| used.contains(&joint.parameters[i])).collect();
    let values: Vec<ValueId> = kept.iter().map(|&i| joint.parameters[i]).collect();
    let operands: Vec<Tensor> = kept.iter().map(|&i| given[i]).collect();
    let shapes: Vec<Shape> = kept.iter().map(|&i| shapes[i]).collect();
    let (body, ()) = in_region_of("checkpoint", kind, &shapes, &[], location, |own| {
        // A barrier without operands is not recorded.
        let own = if own.is_empty() { Vec::new() } else { record_op(OptimizationBarrier, own) };
        let mut tape = Tape::default();
        tape.replay(&values, &own, &joint.nodes);
        (tape.tensors(&joint.results), ())
    });
    let Some(body) = body else { return Vec::new() };
    let composite = Composite {
        attributes: CheckpointPolicy::NothingSaveable.attributes(),
        body,
        ..op.clone()
    };
    let results = record_at(location, composite.into(), &operands, None);
    let mut cotangents = vec![None; step.operands.len()];
    for (&i, cotangent) in wanted.iter().zip(results) {
        cotangents[i] = Some(cotangent);
    }
    cotangents
}
