//! Gathers.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
};
use hloom_graph::GatherDims;

impl Lower for GatherDims {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let result = n.result();
        if result.element_count() == 0 {
            // The operand may be empty too, and slices of size one do not fit into an empty
            // operand.
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
                    self.offset_dims,
                    self.collapsed_slice_dims,
                    self.operand_batching_dims,
                    self.start_indices_batching_dims,
                    self.start_index_map,
                    self.index_vector_dim
                )),
            ),
            ("slice_sizes", Attribute::i64s(&self.slice_sizes)),
            ("indices_are_sorted", Attribute::Bool(self.indices_are_sorted)),
        ];
        l.op("stablehlo.gather", &n.operands, result, &attributes)
    }
}
