//! Composites that are kept over a batch axis, since derivatives need them.

use super::{
    carried::{flagged, poisoned},
    lanes::{Lane, Lanes},
};
use crate::{
    RegionKind, Shape, Tensor, body::Recorded, graph::record_at, op::Composite, trace::in_region_of,
};

impl Lanes {
    /// The composite with its body over the mapped axis.
    pub fn kept(&mut self, op: &Composite, node: &Recorded) -> Vec<Lane> {
        let flags: Vec<bool> = self.operands(node).iter().map(|lane| lane.is_batched).collect();
        self.kept_with(node, op, &flags, |_, _, lane| lane)
    }

    /// The composite with its body over the mapped axis. `flags` say which operands have the axis,
    /// and `result` changes each result of the body, given its index.
    pub fn kept_with(
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
}
