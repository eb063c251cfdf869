//! Dot products and convolutions of elements below a byte. Without the barriers the plugin would
//! transpose the narrow operands instead of the wider ones; it has no code for that and crashes the
//! process.

use super::{
    Change, Pass, Platforms, Replacement,
    narrow::{narrowed, wide_integer, widened},
    result, tensor,
};
use hloom_graph::{ConvDims, DType, DotDims, Graph, NodeId, Op, Tensor, record};

pub(super) const PASS: Pass = Pass {
    name: "narrow_dot",
    defects: &["narrow_integers_are_not_multiplied", "narrow_integers_are_not_convolved"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    match &graph.node(node).op {
        Op::Dot(dims) => product(graph, node, DType::F4E2M1FN, |sums| {
            DotDims { accumulate: Some(sums), ..**dims }.into()
        }),
        Op::Convolution(dims) => product(graph, node, DType::F32, |sums| {
            ConvDims { accumulate: Some(sums), ..(**dims).clone() }.into()
        }),
        _ => None,
    }
}

/// The product with wider operands or sums, unless both types stay; `f4_sums` is the type of the
/// sums for a result of `f4e2m1fn`.
fn product<'g>(
    graph: &'g Graph,
    node: NodeId,
    f4_sums: DType,
    op: impl FnOnce(DType) -> Op + 'g,
) -> Option<Replacement<'g>> {
    let (operand, dtype) = (graph.dtype(graph.operands(node)[0]), result(graph, node).dtype());
    let sums = match dtype {
        DType::F4E2M1FN => f4_sums,
        _ => wide_integer(dtype).unwrap_or(dtype),
    };
    let from = if operand.bits() < 8 && sums.bits() > operand.bits() { sums } else { operand };
    if from == operand && sums == dtype {
        return None;
    }
    tensor(move |operands: [Tensor; 2]| {
        let widen = |x: Tensor| if x.dtype() == from { x } else { widened(x, x.dtype(), from) };
        let product = record(op(sums), &operands.map(widen))[0];
        if sums == dtype { product } else { narrowed(product, dtype, dtype) }
    })
}
