//! Slices and padding over a batch axis.

use super::{PadDims, SliceDims};
use crate::{
    body::Recorded,
    vmap::{Batch, Lane, Lanes, batched_if_any, with_first, without_edge},
};

impl Batch for SliceDims {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let op = SliceDims {
            start: with_first(&self.start, 0),
            limit: with_first(&self.limit, lanes.size),
            stride: with_first(&self.stride, 1),
        };
        lanes.as_they_are(node, op)
    }

    batched_if_any!();
}

impl Batch for PadDims {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        if lanes.operands(node)[1].is_batched {
            return lanes.in_turn(node);
        }
        let op = PadDims {
            low: without_edge(&self.low),
            high: without_edge(&self.high),
            interior: with_first(&self.interior, 0),
        };
        lanes.as_they_are(node, op)
    }

    batched_if_any!();
}
