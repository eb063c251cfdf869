//! Loops and branches over a batch axis: a loop runs until the last element has finished, and
//! branches become selections where the elements differ in their index.

use super::{Case, While};
use crate::{
    RegionId, Shape, Tensor,
    body::{Body, Recorded},
    graph::record_at,
    trace::{called_from, in_region},
    vmap::{Batch, BatchedValues, Lane, Lanes, flagged, lane_select, poisoned},
};

impl Batch for While {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let location = node.location;
        let (cond, body) = (&node.regions[&self.cond], &node.regions[&self.body]);
        let start = lanes.operands(node);
        let flags = lanes.results_batched(node);
        let decides_apart = lanes.batched_results(cond, &flags) == [true];
        let shapes: Vec<Shape> =
            body.shapes.iter().zip(&flags).map(|(&s, &f)| lanes.shape(s, f)).collect();
        let carried = |parameters: &[Tensor]| -> Vec<Lane> {
            let all = parameters.iter().zip(&flags);
            all.map(|(&tensor, &is_batched)| Lane { tensor, is_batched }).collect()
        };
        let (new_cond, ()) = in_region("while", &shapes, location, |parameters| {
            let runs = lanes.body(cond, &carried(parameters))[0];
            let any = if runs.is_batched {
                called_from(location, || runs.tensor.any(0))
            } else {
                runs.tensor
            };
            (vec![any], ())
        });
        let (new_body, ()) = in_region("while", &shapes, location, |parameters| {
            let before = carried(parameters);
            let after = lanes.body(body, &before);
            let after: Vec<Tensor> =
                after.iter().zip(&flags).map(|(&lane, &f)| lanes.fit(lane, f, location)).collect();
            if !decides_apart {
                return (after, ());
            }
            let runs = lanes.body(cond, &before)[0];
            let keep = |(&new, &old): (&Tensor, &Tensor)| {
                called_from(location, || lane_select(lanes.spread(runs), new, old))
            };
            (after.iter().zip(parameters).map(keep).collect(), ())
        });
        let Some((cond, body)) = new_cond.zip(new_body) else {
            return poisoned(&flags);
        };
        let operands: Vec<Tensor> =
            start.iter().zip(&flags).map(|(&lane, &f)| lanes.fit(lane, f, location)).collect();
        let results = record_at(location, While { cond, body }.into(), &operands, None);
        flagged(results, &flags)
    }

    fn batched(
        &self,
        lanes: &Lanes,
        node: &Recorded,
        operands: &[bool],
        known: &mut BatchedValues,
    ) -> Vec<bool> {
        let carried = lanes.fixpoint(&node.regions[&self.body], &[], operands, known);
        match lanes.trace_batched(&node.regions[&self.cond], &carried, known)[..] {
            [true] => vec![true; carried.len()],
            _ => carried,
        }
    }
}

impl Batch for Case {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let location = node.location;
        let index = lanes.operands(node)[0];
        let flags = lanes.results_batched(node);
        let branches: Vec<&Body> =
            self.branches.iter().map(|branch| &node.regions[branch]).collect();
        if !index.is_batched {
            let mut bodies = Vec::new();
            for branch in branches {
                let (body, ()) = in_region("case", &[], location, |_| {
                    let results = lanes.body(branch, &[]);
                    let results = results.iter().zip(&flags);
                    (results.map(|(&lane, &f)| lanes.fit(lane, f, location)).collect(), ())
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
            return lanes
                .refuse(node, "has branches with effects, of which each element takes one");
        }
        let mut chosen: Vec<Tensor> = Vec::new();
        // Starts with the last branch, which an index out of range selects.
        for (position, branch) in branches.into_iter().enumerate().rev() {
            let results = lanes.body(branch, &[]);
            let results = results.iter().map(|&lane| lanes.fit(lane, true, location));
            chosen = if chosen.is_empty() {
                results.collect()
            } else {
                results
                    .zip(&chosen)
                    .map(|(own, &other)| {
                        called_from(location, || lane_select(index.tensor.eq(position), own, other))
                    })
                    .collect()
            };
        }
        chosen.into_iter().map(Lane::batched).collect()
    }

    fn batched(
        &self,
        lanes: &Lanes,
        node: &Recorded,
        operands: &[bool],
        known: &mut BatchedValues,
    ) -> Vec<bool> {
        let mut all = vec![operands[0]; node.results.len()];
        for branch in &self.branches {
            let own = lanes.trace_batched(&node.regions[branch], &[], known);
            all.iter_mut().zip(own).for_each(|(all, own)| *all |= own);
        }
        all
    }
}
