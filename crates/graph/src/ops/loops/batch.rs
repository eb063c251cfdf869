//! Loops of a known number of steps over a batch axis: one loop for all elements.

use super::{ForLoop, Scan};
use crate::{
    Tensor,
    body::Recorded,
    graph::record_at,
    trace::called_from,
    vmap::{Batch, BatchedValues, Lane, Lanes, flagged, poisoned},
};

impl Batch for ForLoop {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let location = node.location;
        let body = &node.regions[&self.body];
        let flags = lanes.results_batched(node);
        let operands: Vec<Tensor> = lanes
            .operands(node)
            .iter()
            .zip(&flags)
            .map(|(&lane, &f)| lanes.fit(lane, f, location))
            .collect();
        let taken = [&[false], &flags[..]].concat();
        match lanes.rewritten("for_loop", body, &taken, &flags, location) {
            Some(body) => flagged(
                record_at(location, ForLoop { count: self.count, body }.into(), &operands, None),
                &flags,
            ),
            None => poisoned(&flags),
        }
    }

    fn batched(
        &self,
        lanes: &Lanes,
        node: &Recorded,
        operands: &[bool],
        known: &mut BatchedValues,
    ) -> Vec<bool> {
        lanes.fixpoint(&node.regions[&self.body], &[false], operands, known)
    }
}

impl Batch for Scan {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let location = node.location;
        let body = &node.regions[&self.body];
        let flags = lanes.results_batched(node);
        let (carried, stacked) = flags.split_at(self.carried);
        let all = lanes.operands(node);
        let (start, sources) = all.split_at(self.carried);
        let mut operands: Vec<Tensor> =
            start.iter().zip(carried).map(|(&lane, &f)| lanes.fit(lane, f, location)).collect();
        operands.extend(sources.iter().map(|lane| lane.tensor));
        let taken: Vec<bool> =
            carried.iter().copied().chain(sources.iter().map(|lane| lane.is_batched)).collect();
        let axes: Vec<usize> = sources
            .iter()
            .zip(&self.axes)
            .map(|(x, &axis)| axis + usize::from(x.is_batched))
            .collect();
        let Some(body) = lanes.rewritten("scan", body, &taken, &flags, location) else {
            return poisoned(&flags);
        };
        let op = Scan { body, carried: self.carried, axes };
        let mut results = record_at(location, op.into(), &operands, None);
        // Steps are stacked before the mapped axis.
        for (tensor, _) in results[carried.len()..].iter_mut().zip(stacked).filter(|(_, f)| **f) {
            *tensor = called_from(location, || tensor.moveaxis(1, 0));
        }
        flagged(results, &flags)
    }

    fn batched(
        &self,
        lanes: &Lanes,
        node: &Recorded,
        operands: &[bool],
        known: &mut BatchedValues,
    ) -> Vec<bool> {
        let body = &node.regions[&self.body];
        let (start, sources) = operands.split_at(self.carried);
        let mut wide = start.to_vec();
        loop {
            let results = lanes.trace_batched(body, &[&wide, sources].concat(), known);
            let (next, stacked) = results.split_at(self.carried);
            let wider: Vec<bool> = wide.iter().zip(next).map(|(a, b)| a | b).collect();
            if wider == wide {
                return [&wider, stacked].concat();
            }
            wide = wider;
        }
    }
}
