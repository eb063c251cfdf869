//! Static slices and padding.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
};
use hloom_graph::{PadDims, SliceDims};

impl Lower for SliceDims {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let attributes = [
            ("start_indices", Attribute::i64s(&self.start)),
            ("limit_indices", Attribute::i64s(&self.limit)),
            ("strides", Attribute::i64s(&self.stride)),
        ];
        l.op("stablehlo.slice", &n.operands, n.result(), &attributes)
    }
}

impl Lower for PadDims {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let attributes = [
            ("edge_padding_low", Attribute::signed_i64s(&self.low)),
            ("edge_padding_high", Attribute::signed_i64s(&self.high)),
            ("interior_padding", Attribute::i64s(&self.interior)),
        ];
        l.op("stablehlo.pad", &n.operands, n.result(), &attributes)
    }
}
