//! Static slices, padding and concatenation.

use crate::{
    attribute::Attribute,
    emit::Value,
    lowering::{Applied, Lowering},
    types::Type,
};
use hloom_graph::{PadDims, SliceDims};

pub(crate) fn slice(l: &mut Lowering<'_>, n: &Applied<'_>, dims: &SliceDims) -> Value {
    let shape = n.result();
    if shape.element_count() == 0 {
        // XLA looks for the operand of a concatenation that contains an empty slice, and crashes
        // the process.
        let value = Attribute::elements(&shape, &[]);
        return l.op("stablehlo.constant", &[], shape, &[("value", value)]);
    }
    let attributes = [
        ("start_indices", Attribute::i64s(&dims.start)),
        ("limit_indices", Attribute::i64s(&dims.limit)),
        ("strides", Attribute::i64s(&dims.stride)),
    ];
    l.op("stablehlo.slice", &n.operands, shape, &attributes)
}

pub(crate) fn pad(l: &mut Lowering<'_>, n: &Applied<'_>, dims: &PadDims) -> Value {
    let shape = n.result();
    let cut =
        |edges: &[isize]| edges.iter().map(|&edge| edge.min(0).unsigned_abs()).collect::<Vec<_>>();
    let (low, high) = (cut(&dims.low), cut(&dims.high));
    // Over a mesh XLA crashes the process if an edge is cropped together with interior padding:
    // crop afterwards.
    let cuts = l.is_split() && low.iter().chain(&high).any(|&edge| edge > 0);
    let edges = |edges: &[isize]| {
        let kept = edges.iter().map(|&edge| if cuts { edge.max(0) } else { edge });
        Attribute::signed_i64s(&kept.collect::<Vec<_>>())
    };
    let attributes = [
        ("edge_padding_low", edges(&dims.low)),
        ("edge_padding_high", edges(&dims.high)),
        ("interior_padding", Attribute::i64s(&dims.interior)),
    ];
    if !cuts {
        return l.op("stablehlo.pad", &n.operands, shape, &attributes);
    }
    let limits: Vec<usize> = shape.sizes().iter().zip(&low).map(|(size, low)| size + low).collect();
    let sizes: Vec<usize> = limits.iter().zip(&high).map(|(limit, high)| limit + high).collect();
    let wide = Type::new(shape.dtype(), &sizes);
    let wide = l.op("stablehlo.pad", &n.operands, wide, &attributes);
    let attributes = [
        ("start_indices", Attribute::i64s(&low)),
        ("limit_indices", Attribute::i64s(&limits)),
        ("strides", Attribute::i64s(&vec![1; sizes.len()])),
    ];
    l.op("stablehlo.slice", &[wide], shape, &attributes)
}

pub(crate) fn concatenate(l: &mut Lowering<'_>, n: &Applied<'_>, axis: usize) -> Value {
    let attributes = [("dimension", Attribute::i64(axis))];
    l.op("stablehlo.concatenate", &n.operands, n.result(), &attributes)
}
