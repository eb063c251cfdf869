//! Values that loops carry and branches return, and the bodies of loops, over a batch axis.

use super::{
    lanes::{Caller, Lane, Lanes},
    rule::BatchedValues,
};
use crate::{
    RegionId, Shape, Tensor,
    body::Body,
    trace::{called_from, in_region},
};

impl Lanes {
    /// The value as a carried value, which has the mapped axis if `is_batched`.
    pub fn fit(&self, lane: Lane, is_batched: bool, location: Caller) -> Tensor {
        if is_batched { called_from(location, || self.spread(lane)) } else { lane.tensor }
    }

    /// The shape of a value, with the mapped axis if `is_batched`.
    pub fn shape(&self, shape: Shape, is_batched: bool) -> Shape {
        if !is_batched {
            return shape;
        }
        // Too many axes are reported where the value is recorded.
        self.dims(&shape.axes()).map_or(shape, |dims| shape.with_dims(dims))
    }

    /// The body of a loop over the mapped axis; flags say which parameters and results are batched.
    pub fn rewritten(
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

    /// The carried values that are batched after any number of steps.
    pub fn fixpoint(
        &self,
        body: &Body,
        before: &[bool],
        start: &[bool],
        batched: &mut BatchedValues,
    ) -> Vec<bool> {
        let mut carried = start.to_vec();
        loop {
            let next = self.trace_batched(body, &[before, &carried].concat(), batched);
            let wider: Vec<bool> = carried.iter().zip(&next).map(|(a, b)| a | b).collect();
            if wider == carried {
                return carried;
            }
            carried = wider;
        }
    }
}

/// `new` where a condition of shape `[size]` is true, else `old`.
#[track_caller]
pub(crate) fn lane_select(condition: Tensor, new: Tensor, old: Tensor) -> Tensor {
    let axes = new.shape().axes();
    let wide = crate::op::BroadcastInDim { axes: crate::PerAxis::collect([0]), dims: axes };
    let condition = crate::record(wide, &[condition])[0];
    crate::record(crate::op::Select, &[condition, new, old])[0]
}

/// Poisoned results after an error, batched by their flags.
pub(crate) fn poisoned(flags: &[bool]) -> Vec<Lane> {
    flagged(vec![Tensor::poisoned(); flags.len()], flags)
}

/// Results with flags that say which are batched.
pub(crate) fn flagged(results: Vec<Tensor>, flags: &[bool]) -> Vec<Lane> {
    let all = results.into_iter().zip(flags);
    all.map(|(tensor, &is_batched)| Lane { tensor, is_batched }).collect()
}
