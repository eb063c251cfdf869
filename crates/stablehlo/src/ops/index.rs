//! Ops whose indices are tensors.

use crate::{applied::Applied, attribute::Attribute, emit::Value, lowering::Lowering};
use hloom_graph::{GatherDims, PerAxis};

pub(crate) fn dynamic_slice(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    sizes: &PerAxis<usize>,
) -> Value {
    let attributes = [("slice_sizes", Attribute::i64s(sizes))];
    l.op("stablehlo.dynamic_slice", &n.operands, n.result(), &attributes)
}

pub(crate) fn dynamic_update_slice(l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
    l.op("stablehlo.dynamic_update_slice", &n.operands, n.result(), &[])
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
