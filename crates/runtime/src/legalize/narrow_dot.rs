//! Dot products and convolutions of elements below a byte. Without the barriers the plugin would
//! transpose the narrow operands instead of the wider ones; it has no code for that and crashes the
//! process.

use super::{
    Change, Pass, Platforms,
    narrow::{narrowed, wide_integer, widened},
    result,
};
use hloom_graph::{ConvDims, DType, DotDims, Graph, NodeId, Op, Tensor, record};

pub(super) const PASS: Pass = Pass {
    name: "narrow_dot",
    defects: &["narrow_integers_are_not_multiplied", "narrow_integers_are_not_convolved"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    matches!(graph.node(node).op, Op::Dot(_) | Op::Convolution(_)) && types(graph, node).is_some()
}

/// The types of the operands and of the sums, if the product is not to be left as it is.
fn types(graph: &Graph, node: NodeId) -> Option<(DType, DType)> {
    let (from, to) = (graph.dtype(graph.operands(node)[0]), result(graph, node).dtype());
    let sums = match (&graph.node(node).op, to) {
        (Op::Convolution(_), DType::F4E2M1FN) => DType::F32,
        _ => wide_integer(to).unwrap_or(to),
    };
    let from = if from.bits() < 8 && sums.bits() > from.bits() { sums } else { from };
    let is_narrow = from != graph.dtype(graph.operands(node)[0]) || sums != to;
    is_narrow.then_some((from, sums))
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let (from, sums) = types(graph, node)?;
    let op: Op = match &graph.node(node).op {
        Op::Dot(dims) => DotDims { accumulate: Some(sums), ..**dims }.into(),
        Op::Convolution(dims) => ConvDims { accumulate: Some(sums), ..(**dims).clone() }.into(),
        _ => return None,
    };
    let dtype = result(graph, node).dtype();
    let widen = |&x: &Tensor| if x.dtype() == from { x } else { widened(x, x.dtype(), from) };
    let operands: Vec<Tensor> = operands.iter().map(widen).collect();
    let product = record(op, &operands)[0];
    Some(vec![if sums == dtype { product } else { narrowed(product, dtype, dtype) }])
}
