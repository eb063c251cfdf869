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
    let shape = n.result();
    let cut = |edges: &[isize]| edges.iter().map(|&edge| edge.min(0).unsigned_abs()).collect::<Vec<_>>();
    let (low, high) = (cut(&dims.low), cut(&dims.high));
    // Over a mesh XLA ends the process where an edge is cut between elements that are moved apart: it is cut afterwards.
    let cuts = l.is_split() && low.iter().chain(&high).any(|&edge| edge > 0);
    let edges = |edges: &[isize]| {
        let kept = edges.iter().map(|&edge| if cuts { edge.max(0) } else { edge });
        l.signed_i64s(&kept.collect::<Vec<_>>())
    };
    let attributes = [
        ("edge_padding_low", edges(&dims.low)),
        ("edge_padding_high", edges(&dims.high)),
        ("interior_padding", l.i64s(&dims.interior)),
    ];
    if !cuts {
        return l.op("stablehlo.pad", &n.operands, l.types.tensor(&shape), &attributes);
    }
    let limits: Vec<usize> = shape.sizes().iter().zip(&low).map(|(size, low)| size + low).collect();
    let sizes: Vec<usize> = limits.iter().zip(&high).map(|(limit, high)| limit + high).collect();
    let wide = l.types.sized(shape.dtype(), &sizes);
    let wide = l.op("stablehlo.pad", &n.operands, wide, &attributes);
    let attributes = [
        ("start_indices", l.i64s(&low)),
        ("limit_indices", l.i64s(&limits)),
        ("strides", l.i64s(&vec![1; sizes.len()])),
    ];
    l.op("stablehlo.slice", &[wide], l.types.tensor(&shape), &attributes)
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
