//! Convolutions over a batch axis.

use super::ConvDims;
use crate::{
    Tensor,
    body::Recorded,
    trace::{called_from, shape_of},
    vmap::{Batch, Lane, Lanes, batched_if_any},
};

impl Batch for ConvDims {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let operands = lanes.operands(node);
        let (input, kernel) = (operands[0], operands[1]);
        if self.batch_groups != 1 || lanes.size == 0 {
            return lanes.in_turn(node);
        }
        // With one kernel for all, the mapped elements are part of the batch; with a kernel each,
        // they are groups of features.
        let mut op = self.clone();
        let (operands, place) = called_from(node.location, || {
            if kernel.is_batched {
                op.feature_groups *= lanes.size;
                let input = merged(lanes.spread(input), op.input_feature_dimension);
                let kernel = merged(kernel.tensor, op.kernel_output_feature_dimension);
                ([input, kernel], op.output_feature_dimension)
            } else {
                let input = merged(input.tensor, op.input_batch_dimension);
                ([input, kernel.tensor], op.output_batch_dimension)
            }
        });
        let size = lanes.size;
        let results = lanes.recorded(node, op.into(), &operands);
        let apart = |result: Tensor| {
            Lane::batched(called_from(node.location, || apart(result, place, size)))
        };
        results.into_iter().map(apart).collect()
    }

    batched_if_any!();
}

/// Merges the first axis into the axis at `place` (counted without the first) as its slower part.
#[track_caller]
fn merged(x: Tensor, place: usize) -> Tensor {
    let Some(shape) = shape_of(x) else { return x };
    let name = shape.names()[place + 1].map_or("_", |name| name.as_str());
    x.moveaxis(0, place as isize).merge([place, place + 1], name)
}

/// Splits the slower part of an axis off as the first axis.
#[track_caller]
fn apart(x: Tensor, place: usize, size: usize) -> Tensor {
    let Some(shape) = shape_of(x) else { return x };
    let name = shape.names()[place].map_or("_", |name| name.as_str());
    let rest = shape.sizes()[place] / size;
    x.unflatten(place, [("_", size), (name, rest)]).moveaxis(place, 0)
}
