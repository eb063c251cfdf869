//! Slices at computed indices over a batch axis: gathers and scatters if the start indices differ
//! between the elements.

use super::{DynamicSlice, DynamicUpdateSlice};
use crate::{
    DType, GatherDims, PerAxis, ScatterDims, ScatterUpdate, Tensor,
    body::Recorded,
    op::Scatter,
    ops::stack,
    trace::{called_from, shape_of},
    vmap::{Batch, Lane, Lanes, batched_if_any, with_first},
};

impl Batch for DynamicSlice {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let operands = lanes.operands(node);
        let (x, starts) = (operands[0], &operands[1..]);
        if starts.iter().all(|start| !start.is_batched) {
            let op = DynamicSlice { sizes: with_first(&self.sizes, lanes.size) };
            let operands = [vec![x.tensor], unbatched_starts(starts)].concat();
            return lanes.results(node, op, &operands);
        }
        let rank = self.sizes.len();
        let dims = GatherDims {
            offset_dims: PerAxis::collect(1..=rank),
            start_index_map: PerAxis::collect(
                (0..rank).map(|axis| axis + usize::from(x.is_batched)),
            ),
            index_vector_dim: 1,
            ..GatherDims::default()
        };
        let dims = if x.is_batched {
            GatherDims {
                offset_dims: PerAxis::collect(1..=rank),
                operand_batching_dims: PerAxis::collect([0]),
                start_indices_batching_dims: PerAxis::collect([0]),
                slice_sizes: with_first(&self.sizes, 1),
                ..dims
            }
        } else {
            GatherDims { slice_sizes: self.sizes, ..dims }
        };
        let indices = index_vectors(lanes, node, starts);
        lanes.results(node, dims, &[x.tensor, indices])
    }

    batched_if_any!();
}

impl Batch for DynamicUpdateSlice {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let operands = lanes.operands(node);
        let (x, update, starts) = (operands[0], operands[1], &operands[2..]);
        let operands = called_from(node.location, || [lanes.spread(x), lanes.spread(update)]);
        if starts.iter().all(|start| !start.is_batched) {
            let operands = [operands.to_vec(), unbatched_starts(starts)].concat();
            return lanes.results(node, DynamicUpdateSlice, &operands);
        }
        let [x, update] = operands;
        let (Some(whole), Some(part)) = (shape_of(x), shape_of(update)) else {
            return vec![Lane::batched(Tensor::poisoned())];
        };
        // A scatter drops updates that do not fit, while a dynamic update is moved so that it fits:
        // the starts are clamped.
        let most = whole.sizes().iter().zip(part.sizes()).skip(1).map(|(all, part)| all - part);
        let clamped: Vec<Lane> = starts
            .iter()
            .zip(most)
            .map(|(start, most)| {
                let tensor = called_from(node.location, || {
                    start.tensor.convert(DType::I64).maximum(0).minimum(most)
                });
                Lane { tensor, ..*start }
            })
            .collect();
        let rank = starts.len();
        let dims = ScatterDims {
            update_window_dims: PerAxis::collect(1..=rank),
            input_batching_dims: PerAxis::collect([0]),
            scatter_indices_batching_dims: PerAxis::collect([0]),
            scatter_dims_to_operand_dims: PerAxis::collect(1..=rank),
            index_vector_dim: 1,
            unique_indices: true,
            ..ScatterDims::default()
        };
        let op = Scatter { update: ScatterUpdate::Set, dims };
        let indices = index_vectors(lanes, node, &clamped);
        lanes.results(node, op, &[x, indices, update])
    }

    batched_if_any!();
}

/// The scalar start indices, after a 0 for the mapped axis.
fn unbatched_starts(starts: &[Lane]) -> Vec<Tensor> {
    let dtype = starts.first().map_or(DType::I32, |start| start.tensor.dtype());
    let zero = Tensor::scalar(0, if dtype.is_int() { dtype } else { DType::I32 });
    std::iter::once(zero).chain(starts.iter().map(|start| start.tensor)).collect()
}

/// The start indices for each index of the mapped axis, as a row.
fn index_vectors(lanes: &Lanes, node: &Recorded, starts: &[Lane]) -> Tensor {
    called_from(node.location, || {
        let first = starts.first().map(|start| start.tensor.dtype());
        let is_common = starts.iter().all(|start| Some(start.tensor.dtype()) == first);
        // Some compilers also compute an index along the mapped axis in this type, which must hold
        // its size.
        let dtype = first.filter(|d| is_common && d.bits() >= 32).unwrap_or(DType::I64);
        let columns: Vec<Tensor> =
            starts.iter().map(|&start| lanes.spread(start).convert(dtype)).collect();
        stack(&columns, "_").transpose([1, 0])
    })
}
