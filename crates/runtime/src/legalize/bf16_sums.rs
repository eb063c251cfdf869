//! Dot products of `bf16` with sums in `f32`, which are rounded once.

use super::{Change, Pass, Platforms, Replacement, result, tensors};
use hloom_graph::{DType, DotDims, Graph, NodeId, Op, record};
use hloom_pjrt::PlatformKind;

/// Asks for sums in `f32` and converts them.
///
/// The plugin sums in `f32` in any case, but with a result of `bf16` it converts both operands as a
/// whole, and then multiplies without the processor's instructions for `bf16`.
pub(super) const PASS: Pass = Pass {
    name: "bf16_sums",
    defects: &["rows_of_bf16_are_slow"],
    platforms: Platforms::Only(&[PlatformKind::Cpu]),
    until: Some(115),
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let dims = product_of_bf16(graph, node, DType::BF16)?;
    let dims = DotDims { accumulate: Some(DType::F32), ..*dims };
    tensors(move |operands| Some(vec![record(dims, operands)[0].convert(DType::BF16)]))
}

/// The dimensions of a dot product of `bf16` with this type of sums.
pub(super) fn product_of_bf16(graph: &Graph, node: NodeId, sums: DType) -> Option<&DotDims> {
    let Op::Dot(dims) = &graph.node(node).op else { return None };
    let is_bf16 = graph.operands(node).iter().all(|value| graph.dtype(*value) == DType::BF16);
    (is_bf16 && result(graph, node).dtype() == sums).then_some(&**dims)
}
