//! Elements picked by other tensors.

use crate::lowering::{Applied, Lowering};
use hloom_graph::{GatherDims, PerAxis};
use melior::ir::Value;

pub(crate) fn dynamic_slice<'a>(l: &Lowering<'a>, n: &Applied<'a>, sizes: &PerAxis<usize>) -> Value<'a, 'a> {
    let attributes = [("slice_sizes", l.i64s(sizes))];
    let result = l.types.tensor(&n.result());
    l.op("stablehlo.dynamic_slice", &n.operands, result, &attributes)
}

pub(crate) fn dynamic_update_slice<'a>(l: &Lowering<'a>, n: &Applied<'a>) -> Value<'a, 'a> {
    let result = l.types.tensor(&n.result());
    l.op("stablehlo.dynamic_update_slice", &n.operands, result, &[])
}

pub(crate) fn gather<'a>(l: &mut Lowering<'a>, n: &Applied<'a>, dims: &GatherDims) -> Value<'a, 'a> {
    let result = l.types.tensor(&n.result());
    if n.result().element_count() == 0 {
        // There may be nothing to take from either, and blocks of one element do not fit into nothing.
        let nothing = l.elements(&n.result(), &[]);
        return l.op("stablehlo.constant", &[], result, &[("value", nothing)]);
    }
    let attributes = [
        (
            "dimension_numbers",
            l.parsed(format!(
                "#stablehlo.gather<offset_dims = {:?}, collapsed_slice_dims = {:?}, operand_batching_dims = {:?}, \
                 start_indices_batching_dims = {:?}, start_index_map = {:?}, index_vector_dim = {}>",
                dims.offset_dims,
                dims.collapsed_slice_dims,
                dims.operand_batching_dims,
                dims.start_indices_batching_dims,
                dims.start_index_map,
                dims.index_vector_dim
            )),
        ),
        ("slice_sizes", l.i64s(&dims.slice_sizes)),
        ("indices_are_sorted", l.bool(false)),
    ];
    l.op("stablehlo.gather", &n.operands, result, &attributes)
}
