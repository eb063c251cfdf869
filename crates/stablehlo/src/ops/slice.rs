//! Static slices, padding and concatenation.

use crate::{applied::Applied, attribute::Attribute, emit::Value, lowering::Lowering};
use hloom_graph::{PadDims, SliceDims};

pub(crate) fn slice(l: &mut Lowering<'_>, n: &Applied<'_>, dims: &SliceDims) -> Value {
    let attributes = [
        ("start_indices", Attribute::i64s(&dims.start)),
        ("limit_indices", Attribute::i64s(&dims.limit)),
        ("strides", Attribute::i64s(&dims.stride)),
    ];
    l.op("stablehlo.slice", &n.operands, n.result(), &attributes)
}

pub(crate) fn pad(l: &mut Lowering<'_>, n: &Applied<'_>, dims: &PadDims) -> Value {
    let attributes = [
        ("edge_padding_low", Attribute::signed_i64s(&dims.low)),
        ("edge_padding_high", Attribute::signed_i64s(&dims.high)),
        ("interior_padding", Attribute::i64s(&dims.interior)),
    ];
    l.op("stablehlo.pad", &n.operands, n.result(), &attributes)
}

pub(crate) fn concatenate(l: &mut Lowering<'_>, n: &Applied<'_>, axis: usize) -> Value {
    let attributes = [("dimension", Attribute::i64(axis))];
    l.op("stablehlo.concatenate", &n.operands, n.result(), &attributes)
}
