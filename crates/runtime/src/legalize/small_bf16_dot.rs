//! Small dot products of `bf16` with sums in `f32`.

use super::{Change, Pass, Platforms, bf16_sums::is_product_of_bf16, result};
use hloom_graph::{DType, Graph, NodeId, Op, Tensor, record};

/// Converts the operands to `f32`.
///
/// The plugin compiles small loops as a whole, by code that has no product of `bf16`.
pub(super) const PASS: Pass = Pass {
    name: "small_bf16_dot",
    defects: &["small_products_of_bf16_in_loops_are_refused"],
    platforms: Platforms::Only(&["cpu"]),
    until: Some(106),
    matches,
    change: Change::Tensors(change),
};

/// The maximum number of bytes that a small loop moves.
const MAX_BYTES: usize = 1024;

fn matches(graph: &Graph, node: NodeId) -> bool {
    let mut operands = graph.operands(node).iter();
    is_product_of_bf16(graph, node, DType::F32)
        && 4 * result(graph, node).element_count() <= MAX_BYTES
        && operands.all(|value| 2 * graph.shape(*value).element_count() <= MAX_BYTES)
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let Op::Dot(dims) = &graph.node(node).op else { return None };
    let wide: Vec<Tensor> = operands.iter().map(|operand| operand.convert(DType::F32)).collect();
    Some(record(**dims, &wide))
}
