//! Loops and branches over a batch axis.

use super::lanes::{Caller, Lane, Lanes};
use crate::{
    RegionId, Shape, Tensor,
    body::{Body, Recorded},
    graph::record_at,
    op::{Case, ForLoop, Scan, While},
    trace::{at, in_region},
};

impl Lanes {
    /// The value as a carried one, which is batched or not.
    pub(super) fn fit(&self, lane: Lane, is_batched: bool, location: Caller) -> Tensor {
        match is_batched {
            true => at(location, || self.spread(lane)),
            false => lane.tensor,
        }
    }

    /// The shape of a value that is batched or not.
    pub(super) fn shape(&self, shape: Shape, is_batched: bool) -> Shape {
        if !is_batched {
            return shape;
        }
        // Too many axes are reported where the value is made.
        self.dims(&shape.axes()).map_or(shape, |dims| shape.with_dims(dims))
    }

    pub(super) fn while_loop(&mut self, node: &Recorded, op: While) -> Vec<Lane> {
        let location = node.location;
        let (cond, body) = (&node.regions[&op.cond], &node.regions[&op.body]);
        let start = self.operands(node);
        let flags = self.results_batched(node);
        let decides_apart = self.batched_results(cond, &flags) == [true];
        let shapes: Vec<Shape> =
            body.shapes.iter().zip(&flags).map(|(&s, &f)| self.shape(s, f)).collect();
        let lanes = |parameters: &[Tensor]| -> Vec<Lane> {
            let all = parameters.iter().zip(&flags);
            all.map(|(&tensor, &is_batched)| Lane { tensor, is_batched }).collect()
        };
        let (new_cond, ()) = in_region("while", &shapes, location, |parameters| {
            let runs = self.body(cond, &lanes(parameters))[0];
            let any = match runs.is_batched {
                true => at(location, || runs.tensor.any(0)),
                false => runs.tensor,
            };
            (vec![any], ())
        });
        let (new_body, ()) = in_region("while", &shapes, location, |parameters| {
            let before = lanes(parameters);
            let after = self.body(body, &before);
            let after: Vec<Tensor> =
                after.iter().zip(&flags).map(|(&lane, &f)| self.fit(lane, f, location)).collect();
            if !decides_apart {
                return (after, ());
            }
            let runs = self.body(cond, &before)[0];
            let keep = |(&new, &old): (&Tensor, &Tensor)| {
                at(location, || lane_select(self.spread(runs), new, old))
            };
            (after.iter().zip(parameters).map(keep).collect(), ())
        });
        let Some((cond, body)) = new_cond.zip(new_body) else {
            return poisoned(&flags);
        };
        let operands: Vec<Tensor> =
            start.iter().zip(&flags).map(|(&lane, &f)| self.fit(lane, f, location)).collect();
        let results = record_at(location, While { cond, body }.into(), &operands, None);
        flagged(results, &flags)
    }

    pub(super) fn for_loop(&mut self, node: &Recorded, op: ForLoop) -> Vec<Lane> {
        let location = node.location;
        let body = &node.regions[&op.body];
        let flags = self.results_batched(node);
        let operands: Vec<Tensor> = self
            .operands(node)
            .iter()
            .zip(&flags)
            .map(|(&lane, &f)| self.fit(lane, f, location))
            .collect();
        let taken = [&[false], &flags[..]].concat();
        match self.rewritten("for_loop", body, &taken, &flags, location) {
            Some(body) => flagged(
                record_at(location, ForLoop { count: op.count, body }.into(), &operands, None),
                &flags,
            ),
            None => poisoned(&flags),
        }
    }

    pub(super) fn scan(&mut self, node: &Recorded, op: &Scan) -> Vec<Lane> {
        let location = node.location;
        let body = &node.regions[&op.body];
        let flags = self.results_batched(node);
        let (carried, stacked) = flags.split_at(op.carried);
        let lanes = self.operands(node);
        let (start, sources) = lanes.split_at(op.carried);
        let mut operands: Vec<Tensor> =
            start.iter().zip(carried).map(|(&lane, &f)| self.fit(lane, f, location)).collect();
        operands.extend(sources.iter().map(|lane| lane.tensor));
        let taken: Vec<bool> =
            carried.iter().copied().chain(sources.iter().map(|lane| lane.is_batched)).collect();
        let axes: Vec<usize> = sources
            .iter()
            .zip(&op.axes)
            .map(|(x, &axis)| axis + usize::from(x.is_batched))
            .collect();
        let Some(body) = self.rewritten("scan", body, &taken, &flags, location) else {
            return poisoned(&flags);
        };
        let op = Scan { body, carried: op.carried, axes };
        let mut results = record_at(location, op.into(), &operands, None);
        // Steps are stacked before the mapped axis.
        for (tensor, _) in results[carried.len()..].iter_mut().zip(stacked).filter(|(_, f)| **f) {
            *tensor = at(location, || tensor.moveaxis(1, 0));
        }
        flagged(results, &flags)
    }

    /// The body of a loop, whose parameters and results are batched or not.
    fn rewritten(
        &mut self,
        op: &'static str,
        body: &Body,
        taken: &[bool],
        given: &[bool],
        location: Caller,
    ) -> Option<RegionId> {
        let shapes: Vec<Shape> =
            body.shapes.iter().zip(taken).map(|(&s, &f)| self.shape(s, f)).collect();
        in_region(op, &shapes, location, |parameters| {
            let lanes: Vec<Lane> = parameters
                .iter()
                .zip(taken)
                .map(|(&tensor, &is_batched)| Lane { tensor, is_batched })
                .collect();
            let results = self.body(body, &lanes);
            let results = results.iter().zip(given);
            (results.map(|(&lane, &f)| self.fit(lane, f, location)).collect(), ())
        })
        .0
    }

    pub(super) fn case(&mut self, node: &Recorded, op: &Case) -> Vec<Lane> {
        let location = node.location;
        let index = self.operands(node)[0];
        let flags = self.results_batched(node);
        let branches: Vec<&Body> = op.branches.iter().map(|branch| &node.regions[branch]).collect();
        if !index.is_batched {
            let mut bodies = Vec::new();
            for branch in branches {
                let (body, ()) = in_region("case", &[], location, |_| {
                    let results = self.body(branch, &[]);
                    let results = results.iter().zip(&flags);
                    (results.map(|(&lane, &f)| self.fit(lane, f, location)).collect(), ())
                });
                bodies.push(body);
            }
            let Some(branches) = bodies.into_iter().collect::<Option<Vec<RegionId>>>() else {
                return poisoned(&flags);
            };
            return flagged(
                record_at(location, Case { branches }.into(), &[index.tensor], None),
                &flags,
            );
        }
        if branches.iter().any(|branch| branch.has_effect()) {
            return self.refuse(node, "has branches with effects, of which each element takes one");
        }
        let mut chosen: Vec<Tensor> = Vec::new();
        // From the last branch, which an index out of range takes.
        for (position, branch) in branches.into_iter().enumerate().rev() {
            let results = self.body(branch, &[]);
            let results = results.iter().map(|&lane| self.fit(lane, true, location));
            chosen = match chosen.is_empty() {
                true => results.collect(),
                false => results
                    .zip(&chosen)
                    .map(|(own, &other)| {
                        at(location, || lane_select(index.tensor.eq(position), own, other))
                    })
                    .collect(),
            };
        }
        chosen.into_iter().map(Lane::batched).collect()
    }
}

/// `new` where a condition of shape `[size]` is true, else `old`.
#[track_caller]
fn lane_select(condition: Tensor, new: Tensor, old: Tensor) -> Tensor {
    let axes = new.shape().axes();
    let wide = crate::op::BroadcastInDim { axes: crate::PerAxis::collect([0]), dims: axes };
    let condition = crate::record(wide, &[condition])[0];
    crate::record(crate::op::Select, &[condition, new, old])[0]
}

pub(super) fn poisoned(flags: &[bool]) -> Vec<Lane> {
    flagged(vec![Tensor::poisoned(); flags.len()], flags)
}

pub(super) fn flagged(results: Vec<Tensor>, flags: &[bool]) -> Vec<Lane> {
    let all = results.into_iter().zip(flags);
    all.map(|(tensor, &is_batched)| Lane { tensor, is_batched }).collect()
}
