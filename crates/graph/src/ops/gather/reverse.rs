//! The derivative of gathers.

use super::GatherDims;
use crate::{
    ScatterUpdate, Shape, Tensor,
    grad::{Pull, Vjp, keeps_operands},
};

impl Vjp for GatherDims {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let x = pull.x(0);
        if x.shape().element_count() == 0 {
            return Vec::new();
        }
        let indices = clamped(pull.x(1), self, &x.shape());
        // An element may have been read many times: its cotangents are summed in `f32` and rounded
        // once.
        let (zeros, g) = (x.full_like(0).at_least_f32(), pull.g().at_least_f32());
        let sums = zeros.scatter(indices, g, self.to_scatter(), ScatterUpdate::Add);
        pull.one(sums.convert(x.dtype()))
    }
}

/// The start indices of a gather, clamped as the gather clamps them.
fn clamped(indices: Tensor, dims: &GatherDims, operand: &Shape) -> Tensor {
    let dtype = indices.dtype();
    let largest = u64::MAX >> (64 - dtype.bits() + usize::from(dtype.is_signed_int()));
    let limit = |&axis: &usize| {
        let last = operand.sizes()[axis].saturating_sub(dims.slice_sizes[axis]);
        (last as u64).min(largest)
    };
    let limits: Vec<u64> = dims.start_index_map.iter().map(limit).collect();
    let at = dims.index_vector_dim;
    let mut sizes = vec![1; indices.rank()];
    if at < indices.rank() {
        sizes[at] = limits.len();
    }
    let limits = Tensor::constant(&limits, &sizes[..]).convert(dtype);
    indices.maximum(0).minimum(limits)
}
