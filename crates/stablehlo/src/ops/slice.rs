//! Parts of tensors, and tensors put together.

use crate::lowering::{Applied, Lowering};
use hloom_graph::PerAxis;
use melior::ir::Value;

pub(crate) fn slice<'a>(
    l: &Lowering<'a>,
    n: &Applied<'a>,
    start: &PerAxis<usize>,
    limit: &PerAxis<usize>,
    stride: &PerAxis<usize>,
) -> Value<'a, 'a> {
    let attributes = [
        ("start_indices", l.i64s(start)),
        ("limit_indices", l.i64s(limit)),
        ("strides", l.i64s(stride)),
    ];
    l.op("stablehlo.slice", &n.operands, l.types.tensor(&n.result()), &attributes)
}

pub(crate) fn pad<'a>(
    l: &Lowering<'a>,
    n: &Applied<'a>,
    low: &PerAxis<isize>,
    high: &PerAxis<isize>,
    interior: &PerAxis<usize>,
) -> Value<'a, 'a> {
    let attributes = [
        ("edge_padding_low", l.signed_i64s(low)),
        ("edge_padding_high", l.signed_i64s(high)),
        ("interior_padding", l.i64s(interior)),
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
