//! Composites over a batch axis: most are expanded, those that derivatives see stay.

use super::{
    carried::{flagged, poisoned},
    lanes::{Lane, Lanes},
    rule::{Batch, batched_if_any},
};
use crate::{
    RegionKind, Shape, Tensor,
    body::Recorded,
    grad::{CHECKPOINT, CHECKPOINT_NAME, CUSTOM_VJP, Counts, STOP_GRADIENT, is_differentiable},
    graph::record_at,
    op::Composite,
    trace::{at, in_region_of, shape_of},
};

impl Batch for Composite {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let operands = lanes.operands(node);
        let flags: Vec<bool> = operands.iter().map(|lane| lane.is_batched).collect();
        match &*self.name {
            STOP_GRADIENT | CHECKPOINT | CHECKPOINT_NAME => {
                lanes.kept(node, self, &flags, |_, _, lane| lane)
            }
            CUSTOM_VJP => lanes.custom_vjp(node, self, flags),
            _ => lanes.body(&node.regions[&self.body], &operands),
        }
    }

    batched_if_any!();
}

impl Lanes {
    /// The composite with its body over the mapped axis. Operands have the axis by their flags, and
    /// `result` changes each result of the body, given its index.
    fn kept(
        &mut self,
        node: &Recorded,
        op: &Composite,
        flags: &[bool],
        result: impl Fn(&Lanes, usize, Lane) -> Lane,
    ) -> Vec<Lane> {
        let (location, body) = (node.location, &node.regions[&op.body]);
        let operands: Vec<Tensor> = (self.operands(node).iter().zip(flags))
            .map(|(&lane, &is_batched)| self.fit(lane, is_batched, location))
            .collect();
        let shapes: Vec<Shape> =
            body.shapes.iter().zip(flags).map(|(&s, &f)| self.shape(s, f)).collect();
        let kind = RegionKind::Isolated;
        let (traced, given) = in_region_of("composite", kind, &shapes, &[], location, |own| {
            let lanes: Vec<Lane> = (own.iter().zip(flags))
                .map(|(&tensor, &is_batched)| Lane { tensor, is_batched })
                .collect();
            let results = self.body(body, &lanes).into_iter().enumerate();
            let results: Vec<Lane> = results.map(|(i, lane)| result(self, i, lane)).collect();
            let flags: Vec<bool> = results.iter().map(|lane| lane.is_batched).collect();
            (results.into_iter().map(|lane| lane.tensor).collect(), flags)
        });
        let Some(body) = traced else { return poisoned(&given) };
        let composite = Composite { body, ..op.clone() };
        flagged(record_at(location, composite.into(), &operands, None), &given)
    }

    /// A function with its own derivative: a cotangent has the axis if its value has, and that of
    /// an input that is the same for every index is summed over them.
    fn custom_vjp(&mut self, node: &Recorded, op: &Composite, mut flags: Vec<bool>) -> Vec<Lane> {
        let counts = Counts::of(&op.attributes);
        let own = counts.results + counts.residuals;
        let batched = self.batched_results(&node.regions[&op.body], &flags);
        flags[counts.inputs..][..counts.results].copy_from_slice(&batched[..counts.results]);
        let inputs = flags[..counts.inputs].to_vec();
        let is_number = |x: Tensor| shape_of(x).is_some_and(|s| is_differentiable(s.dtype()));
        self.kept(node, op, &flags, |lanes, i, lane| {
            let input = i.checked_sub(own).map(|i| inputs[i]);
            match (input, lane.is_batched) {
                (Some(true), false) => Lane::batched(lanes.fit(lane, true, node.location)),
                (Some(false), true) if is_number(lane.tensor) => {
                    Lane::single(at(node.location, || lane.tensor.sum(0)))
                }
                _ => lane,
            }
        })
    }
}
