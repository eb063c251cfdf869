//! Slices at computed indices.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
};
use hloom_graph::op::{DynamicSlice, DynamicUpdateSlice};

impl Lower for DynamicSlice {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let attributes = [("slice_sizes", Attribute::i64s(&self.sizes))];
        l.op("stablehlo.dynamic_slice", &n.operands, n.result(), &attributes)
    }
}

impl Lower for DynamicUpdateSlice {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        l.op("stablehlo.dynamic_update_slice", &n.operands, n.result(), &[])
    }
}
