//! Slices at computed indices, gathers and scatters over a batch axis.

use super::lanes::{Lane, Lanes};
use crate::{
    DType, GatherDims, PerAxis, ScatterDims, Tensor,
    body::Recorded,
    graph::record_at,
    op::{DynamicSlice, DynamicUpdateSlice, Op, Scatter},
    ops::stack,
    trace::{at, shape_of},
};

/// The axes, each one place further back.
pub(super) fn shifted(axes: &PerAxis<usize>) -> PerAxis<usize> {
    PerAxis::collect(axes.iter().map(|axis| axis + 1))
}

impl Lanes {
    pub(super) fn dynamic_slice(&mut self, node: &Recorded, op: &DynamicSlice) -> Vec<Lane> {
        let lanes = self.operands(node);
        let (x, starts) = (lanes[0], &lanes[1..]);
        if starts.iter().all(|start| !start.is_batched) {
            let op = DynamicSlice { sizes: with_first(&op.sizes, self.size) };
            let operands = [vec![x.tensor], self.unbatched_starts(starts)].concat();
            return self.single_result(node, op.into(), &operands);
        }
        let rank = op.sizes.len();
        let dims = GatherDims {
            offset_dims: PerAxis::collect(1..=rank),
            start_index_map: PerAxis::collect(
                (0..rank).map(|axis| axis + usize::from(x.is_batched)),
            ),
            index_vector_dim: 1,
            ..GatherDims::default()
        };
        let dims = match x.is_batched {
            true => GatherDims {
                offset_dims: PerAxis::collect(1..=rank),
                operand_batching_dims: PerAxis::collect([0]),
                start_indices_batching_dims: PerAxis::collect([0]),
                slice_sizes: with_first(&op.sizes, 1),
                ..dims
            },
            false => GatherDims { slice_sizes: op.sizes, ..dims },
        };
        let indices = self.index_vectors(node, starts);
        self.single_result(node, dims.into(), &[x.tensor, indices])
    }

    pub(super) fn dynamic_update_slice(&mut self, node: &Recorded) -> Vec<Lane> {
        let lanes = self.operands(node);
        let (x, update, starts) = (lanes[0], lanes[1], &lanes[2..]);
        let operands = at(node.location, || [self.spread(x), self.spread(update)]);
        if starts.iter().all(|start| !start.is_batched) {
            let operands = [operands.to_vec(), self.unbatched_starts(starts)].concat();
            return self.single_result(node, DynamicUpdateSlice.into(), &operands);
        }
        let [x, update] = operands;
        let (Some(whole), Some(part)) = (shape_of(x), shape_of(update)) else {
            return vec![Lane::batched(Tensor::poisoned())];
        };
        // A scatter drops what does not fit, where the update is moved.
        let most = whole.sizes().iter().zip(part.sizes()).skip(1).map(|(all, part)| all - part);
        let clamped: Vec<Lane> = starts
            .iter()
            .zip(most)
            .map(|(start, most)| {
                let tensor =
                    at(node.location, || start.tensor.convert(DType::I64).maximum(0).minimum(most));
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
        let op = Scatter { update: crate::ScatterUpdate::Set, dims };
        let indices = self.index_vectors(node, &clamped);
        self.single_result(node, op.into(), &[x, indices, update])
    }

    pub(super) fn gather(&mut self, node: &Recorded, dims: &GatherDims) -> Vec<Lane> {
        let lanes = self.operands(node);
        let (x, indices) = (lanes[0], lanes[1]);
        let by = usize::from(x.is_batched);
        let shift = |axes: &PerAxis<usize>| PerAxis::collect(axes.iter().map(|axis| axis + by));
        let mut dims = GatherDims {
            offset_dims: shifted(&dims.offset_dims),
            collapsed_slice_dims: shift(&dims.collapsed_slice_dims),
            operand_batching_dims: shift(&dims.operand_batching_dims),
            start_index_map: shift(&dims.start_index_map),
            ..dims.clone()
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
                dims.slice_sizes = with_first(&dims.slice_sizes, self.size);
            }
            (false, _) => {}
        }
        self.single_result(node, dims.into(), &[x.tensor, indices.tensor])
    }

    /// The scatter `make`s with these dimension numbers; the first half of the operands are
    /// scattered to, then come the indices.
    pub(super) fn scatter(
        &mut self,
        node: &Recorded,
        dims: &ScatterDims,
        make: impl FnOnce(ScatterDims) -> Op,
    ) -> Vec<Lane> {
        let lanes = self.operands(node);
        let count = lanes.len() / 2;
        let indices = lanes[count];
        let mut operands: Vec<Tensor> =
            at(node.location, || lanes.iter().map(|&lane| self.spread(lane)).collect());
        let mut dims = ScatterDims {
            update_window_dims: shifted(&dims.update_window_dims),
            inserted_window_dims: shifted(&dims.inserted_window_dims),
            input_batching_dims: shifted(&dims.input_batching_dims),
            scatter_dims_to_operand_dims: shifted(&dims.scatter_dims_to_operand_dims),
            ..dims.clone()
        };
        match indices.is_batched {
            true => {
                dims.input_batching_dims = with_first(&dims.input_batching_dims, 0);
                dims.scatter_indices_batching_dims =
                    with_first(&shifted(&dims.scatter_indices_batching_dims), 0);
                dims.index_vector_dim += 1;
                dims.indices_are_sorted = false;
            }
            false => {
                dims.update_window_dims = with_first(&dims.update_window_dims, 0);
                operands[count] = indices.tensor;
            }
        }
        let results = self.recorded(node, make(dims), &operands);
        results.into_iter().map(Lane::batched).collect()
    }

    /// Scalar starts with one of 0 for the mapped axis.
    fn unbatched_starts(&self, starts: &[Lane]) -> Vec<Tensor> {
        let dtype = starts.first().map_or(DType::I32, |start| start.tensor.dtype());
        let zero = Tensor::scalar(0, if dtype.is_int() { dtype } else { DType::I32 });
        std::iter::once(zero).chain(starts.iter().map(|start| start.tensor)).collect()
    }

    /// The starts of each index as a row.
    fn index_vectors(&self, node: &Recorded, starts: &[Lane]) -> Tensor {
        at(node.location, || {
            let first = starts.first().map(|start| start.tensor.dtype());
            let is_common = starts.iter().all(|start| Some(start.tensor.dtype()) == first);
            // An index counts to the size of the mapped axis in some compilers.
            let dtype = first.filter(|d| is_common && d.bits() >= 32).unwrap_or(DType::I64);
            let columns: Vec<Tensor> =
                starts.iter().map(|&start| self.spread(start).convert(dtype)).collect();
            stack(&columns, "_").transpose([1, 0])
        })
    }

    fn single_result(&self, node: &Recorded, op: Op, operands: &[Tensor]) -> Vec<Lane> {
        record_at(node.location, op, operands, None).into_iter().map(Lane::batched).collect()
    }
}

/// A value, then the others. One too many is dropped: the op then reports that a list is too short.
pub(super) fn with_first(values: &PerAxis<usize>, first: usize) -> PerAxis<usize> {
    let all = std::iter::once(first).chain(values.iter().copied());
    PerAxis::collect(all.take(crate::MAX_RANK))
}
