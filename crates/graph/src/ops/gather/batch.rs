//! Gathers over a batch axis.

use super::GatherDims;
use crate::{
    PerAxis,
    body::Recorded,
    vmap::{Batch, Lane, Lanes, batched_if_any, shifted, with_first},
};

impl Batch for GatherDims {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let operands = lanes.operands(node);
        let (x, indices) = (operands[0], operands[1]);
        let by = usize::from(x.is_batched);
        let shift = |axes: &PerAxis<usize>| PerAxis::collect(axes.iter().map(|axis| axis + by));
        let mut dims = GatherDims {
            offset_dims: shifted(&self.offset_dims),
            collapsed_slice_dims: shift(&self.collapsed_slice_dims),
            operand_batching_dims: shift(&self.operand_batching_dims),
            start_index_map: shift(&self.start_index_map),
            ..self.clone()
        };
        if indices.is_batched {
            dims.start_indices_batching_dims = shifted(&dims.start_indices_batching_dims);
            dims.index_vector_dim += 1;
            dims.indices_are_sorted = false;
        }
        match (x.is_batched, indices.is_batched) {
            (true, true) => {
                dims.operand_batching_dims = with_first(&dims.operand_batching_dims, 0);
                dims.start_indices_batching_dims = with_first(&dims.start_indices_batching_dims, 0);
                dims.slice_sizes = with_first(&dims.slice_sizes, 1);
            }
            (true, false) => {
                dims.offset_dims = with_first(&dims.offset_dims, 0);
                dims.slice_sizes = with_first(&dims.slice_sizes, lanes.size);
            }
            (false, _) => {}
        }
        lanes.results(node, dims, &[x.tensor, indices.tensor])
    }

    batched_if_any!();
}
