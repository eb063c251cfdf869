//! Ops whose indices are tensors.

use super::elementwise::is_zero;
use crate::{
    attribute::{Attribute, Number},
    emit::Value,
    lowering::{Applied, Lowering},
    types::Type,
};
use hloom_graph::{GatherDims, PerAxis};
use smallvec::SmallVec;

pub(crate) fn dynamic_slice(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    sizes: &PerAxis<usize>,
) -> Value {
    let attributes = [("slice_sizes", Attribute::i64s(sizes))];
    let operands = with_starts_in_range(l, n, 1, sizes);
    l.op("stablehlo.dynamic_slice", &operands, n.result(), &attributes)
}

pub(crate) fn dynamic_update_slice(l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
    let operands = with_starts_in_range(l, n, 2, n.operand(1).sizes());
    l.op("stablehlo.dynamic_update_slice", &operands, n.result(), &[])
}

/// The operands of a slicing op whose start indices are the operands from `first` on. Over a mesh
/// they are clamped first, since XLA would clamp them for each device's part separately.
fn with_starts_in_range(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    first: usize,
    sizes: &[usize],
) -> SmallVec<[Value; 4]> {
    let mut operands = n.operands.clone();
    if !l.is_split() {
        return operands;
    }
    let shape = n.operand(0);
    for (axis, start) in operands[first..].iter_mut().enumerate() {
        if n.known(first + axis).is_some_and(is_zero) {
            continue;
        }
        let dtype = n.operand(first + axis).dtype();
        let bits = dtype.bits() - usize::from(dtype.is_signed_int());
        let most = u64::MAX.checked_shr(64 - bits as u32).unwrap_or(0) as usize;
        let largest = (shape.sizes()[axis] - sizes[axis]).min(most);
        let [low, high] = [0, largest as i64].map(|bound| l.scalar(dtype, Number::Int(bound)));
        *start = l.op("stablehlo.clamp", &[low, *start, high], Type::scalar(dtype), &[]);
    }
    operands
}

pub(crate) fn gather(l: &mut Lowering<'_>, n: &Applied<'_>, dims: &GatherDims) -> Value {
    let result = n.result();
    if result.element_count() == 0 {
        // Both may be empty, and slices of size one do not fit into an empty operand.
        let nothing = Attribute::elements(&result, &[]);
        return l.op("stablehlo.constant", &[], result, &[("value", nothing)]);
    }
    let attributes = [
        (
            "dimension_numbers",
            Attribute::text(format!(
                "#stablehlo.gather<offset_dims = {:?}, collapsed_slice_dims = {:?}, \
                 operand_batching_dims = {:?}, start_indices_batching_dims = {:?}, \
                 start_index_map = {:?}, index_vector_dim = {}>",
                dims.offset_dims,
                dims.collapsed_slice_dims,
                dims.operand_batching_dims,
                dims.start_indices_batching_dims,
                dims.start_index_map,
                dims.index_vector_dim
            )),
        ),
        ("slice_sizes", Attribute::i64s(&dims.slice_sizes)),
        ("indices_are_sorted", Attribute::Bool(false)),
    ];
    l.op("stablehlo.gather", &n.operands, result, &attributes)
}
