//! Branches: the backward pass runs the branch that the index selects again.

use super::{
    pull::Pull,
    tape::{Tape, Tracked},
};
use crate::{RegionId, Tensor, op::Case, record, trace::in_region};

pub(super) fn case(pull: &Pull<'_>, op: &Case) -> Vec<Option<Tensor>> {
    let step = pull.step;
    let location = step.node.location;
    let wanted: Vec<usize> =
        (0..step.captured.len()).filter(|&i| step.captured[i].1.slot.is_some()).collect();
    let mut bodies = Vec::new();
    for branch in &op.branches {
        let (body, ()) = in_region("case", &[], location, |_| {
            let mut tape = Tape::default();
            let outside = tape.bind(&step.captured);
            let results = tape.nodes(&step.node.regions[branch]);
            let pairs: Vec<(Tracked, Tensor)> = (results.into_iter().enumerate())
                .filter_map(|(i, result)| Some((result, pull.given(i)?)))
                .collect();
            let cotangents = tape.pull(&pairs);
            (wanted.iter().map(|&i| cotangents.bare(outside[i])).collect(), ())
        });
        bodies.push(body);
    }
    let Some(branches) = bodies.into_iter().collect::<Option<Vec<RegionId>>>() else {
        return Vec::new();
    };
    let results = record(Case { branches }, &[step.operands[0].tensor]);
    let mut cotangents = vec![None; step.operands.len() + step.captured.len()];
    for (&i, cotangent) in wanted.iter().zip(results) {
        cotangents[step.operands.len() + i] = Some(cotangent);
    }
    cotangents
}
