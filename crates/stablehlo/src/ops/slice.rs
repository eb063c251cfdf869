//! Parts of tensors, and tensors put together.

use crate::lowering::{Applied, Lowering};
use hloom_graph::{PadDims, SliceDims};
use melior::ir::Value;

pub(crate) fn slice<'a>(l: &Lowering<'a>, n: &Applied<'a>, dims: &SliceDims) -> Value<'a, 'a> {
    let attributes = [
        ("start_indices", l.i64s(&dims.start)),
        ("limit_indices", l.i64s(&dims.limit)),
        ("strides", l.i64s(&dims.stride)),
    ];
    l.op("stablehlo.slice", &n.operands, l.types.tensor(&n.result()), &attributes)
}

pub(crate) fn pad<'a>(l: &Lowering<'a>, n: &Applied<'a>, dims: &PadDims) -> Value<'a, 'a> {
    let attributes = [
        ("edge_padding_low", l.signed_i64s(&dims.low)),
        ("edge_padding_high", l.signed_i64s(&dims.high)),
        ("interior_padding", l.i64s(&dims.interior)),
    ];
    l.op("stablehlo.pad", &n.operands, l.types.tensor(&n.result()), &attributes)
}

pub(crate) fn concatenate<'a>(l: &Lowering<'a>, n: &Applied<'a>, axis: usize) -> Value<'a, 'a> {
    let attributes = [("dimension", l.i64(axis))];
    l.op(
        "stablehlo.concatenate",
        &n.operands,
        l.types.tensor(&n.result()),
        &attributes,
    )
}
