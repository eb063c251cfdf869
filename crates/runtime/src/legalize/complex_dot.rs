//! Products of `c64` with sums in `c128`, which cuBLASLt lacks: the operands are converted first.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{DType, DotDims, Graph, NodeId, Op, Tensor, record};

pub(super) const PASS: Pass = Pass {
    name: "complex_dot",
    defects: &["sums_of_complex_products_are_not_wider"],
    platforms: Platforms::Only(&["cuda"]),
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    matches!(graph.node(node).op, Op::Dot(_))
        && result(graph, node).dtype() == DType::C128
        && graph.dtype(graph.operands(node)[0]) != DType::C128
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let Op::Dot(dims) = &graph.node(node).op else { return None };
    let dims = DotDims { accumulate: None, ..**dims };
    let operands: Vec<Tensor> = operands.iter().map(|x| x.convert(DType::C128)).collect();
    Some(record(dims, &operands))
}
