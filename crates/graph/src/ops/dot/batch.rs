//! Dot products over a mapped axis: it becomes a batch axis if both operands have it, otherwise a
//! free axis.

use super::DotDims;
use crate::{
    body::Recorded,
    trace::called_from,
    vmap::{Batch, Lane, Lanes, batched_if_any, shifted, with_first},
};

impl Batch for DotDims {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let operands = lanes.operands(node);
        let (left, right) = (operands[0].is_batched, operands[1].is_batched);
        let mut dims = *self;
        if left {
            dims.left_contracting = shifted(&self.left_contracting);
            dims.left_batch = shifted(&self.left_batch);
        }
        if right {
            dims.right_contracting = shifted(&self.right_contracting);
            dims.right_batch = shifted(&self.right_batch);
        }
        if left && right {
            dims.left_batch = with_first(&dims.left_batch, 0);
            dims.right_batch = with_first(&dims.right_batch, 0);
            return lanes.as_they_are(node, dims);
        }
        let product = lanes.as_they_are(node, dims)[0].tensor;
        // The mapped axis is the first free one of its side.
        let position = if left {
            self.left_batch.len()
        } else {
            operands[0].tensor.rank() - self.left_contracting.len()
        };
        vec![Lane::batched(called_from(node.location, || product.moveaxis(position, 0)))]
    }

    batched_if_any!();
}
