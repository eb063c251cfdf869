//! The derivative of branches: the backward pass runs the branch that the index selects again.

use super::{Case, While};
use crate::{
    RegionId, Tensor,
    grad::{Pull, Tape, Tracked, Vjp, keeps_operands},
    record,
    trace::in_region,
};

impl Vjp for While {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        pull.refuse(
            "has no derivative, since the number of its steps is not known; use `for_loop` or \
             `scan`",
        )
    }
}

impl Vjp for Case {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let step = pull.step;
        let location = step.node.location;
        let wanted: Vec<usize> =
            (0..step.captured.len()).filter(|&i| step.captured[i].1.slot.is_some()).collect();
        let mut bodies = Vec::new();
        for branch in &self.branches {
            let (body, ()) = in_region("case", &[], location, |_| {
                let mut tape = Tape::default();
                let outside = tape.bind(&step.captured);
                let results = tape.nodes(&step.node.regions[branch]);
                let pairs: Vec<(Tracked, Tensor)> = (results.into_iter().enumerate())
                    .filter_map(|(i, result)| Some((result, pull.given(i)?)))
                    .collect();
                let cotangents = tape.pull(&pairs);
                (wanted.iter().map(|&i| cotangents.unnamed(outside[i])).collect(), ())
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
}
