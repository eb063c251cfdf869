//! Scatters over a batch axis.

use super::{Scatter, ScatterBy, ScatterDims};
use crate::{
    Op, Tensor,
    body::Recorded,
    trace::called_from,
    vmap::{Batch, Lane, Lanes, batched_if_any, shifted, with_first},
};

impl Batch for Scatter {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let update = self.update;
        scattered(lanes, node, &self.dims, |dims| Scatter { update, dims }.into())
    }

    batched_if_any!();
}

impl Batch for ScatterBy {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let body = self.body;
        scattered(lanes, node, &self.dims, |dims| ScatterBy { body, dims }.into())
    }

    batched_if_any!();
}

/// Records the scatter that `make` returns for the batched dimension numbers. The operands are the
/// tensors that are updated, the indices, and the updates.
fn scattered(
    lanes: &mut Lanes,
    node: &Recorded,
    dims: &ScatterDims,
    make: impl FnOnce(ScatterDims) -> Op,
) -> Vec<Lane> {
    let all = lanes.operands(node);
    let count = all.len() / 2;
    let indices = all[count];
    let mut operands: Vec<Tensor> =
        called_from(node.location, || all.iter().map(|&lane| lanes.spread(lane)).collect());
    let mut dims = ScatterDims {
        update_window_dims: shifted(&dims.update_window_dims),
        inserted_window_dims: shifted(&dims.inserted_window_dims),
        input_batching_dims: shifted(&dims.input_batching_dims),
        scatter_dims_to_operand_dims: shifted(&dims.scatter_dims_to_operand_dims),
        ..dims.clone()
    };
    if indices.is_batched {
        dims.input_batching_dims = with_first(&dims.input_batching_dims, 0);
        dims.scatter_indices_batching_dims =
            with_first(&shifted(&dims.scatter_indices_batching_dims), 0);
        dims.index_vector_dim += 1;
        dims.indices_are_sorted = false;
    } else {
        dims.update_window_dims = with_first(&dims.update_window_dims, 0);
        operands[count] = indices.tensor;
    }
    lanes.results(node, make(dims), &operands)
}
