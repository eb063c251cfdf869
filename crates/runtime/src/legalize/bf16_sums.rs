//! Dot products of `bf16` with sums in `f32`, which are rounded once.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{DType, DotDims, Graph, NodeId, Op, Tensor, record};

/// Asks for sums in `f32` and converts them.
///
/// The plugin sums in `f32` in any case, but with a result of `bf16` it converts both operands as a
/// whole, and then multiplies without the processor's instructions for `bf16`.
pub(super) const PASS: Pass = Pass {
    name: "bf16_sums",
    defects: &["rows_of_bf16_are_slow"],
    platforms: Platforms::Only(&["cpu"]),
    until: Some(115),
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    is_product_of_bf16(graph, node, DType::BF16)
}

/// Whether a node is a dot product of `bf16` with this type of sums.
pub(super) fn is_product_of_bf16(graph: &Graph, node: NodeId, sums: DType) -> bool {
    matches!(graph.node(node).op, Op::Dot(_))
        && graph.operands(node).iter().all(|value| graph.dtype(*value) == DType::BF16)
        && result(graph, node).dtype() == sums
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let Op::Dot(dims) = &graph.node(node).op else { return None };
    let dims = DotDims { accumulate: Some(DType::F32), ..**dims };
    Some(vec![record(dims, operands)[0].convert(DType::BF16)])
}
