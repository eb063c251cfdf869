//! Small dot products of `bf16` with sums in `f32`.

use super::{Change, Pass, Platforms, result};
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

/// The bytes that a small loop moves at most.
const MOST: usize = 1024;

fn matches(graph: &Graph, node: NodeId) -> bool {
    let is_bf16 = |value: &_| graph.dtype(*value) == DType::BF16;
    let result = || result(graph, node);
    matches!(graph.node(node).op, Op::Dot(_))
        && graph.operands(node).iter().all(is_bf16)
        && result().dtype() == DType::F32
        && 4 * result().element_count() <= MOST
        && graph.operands(node).iter().all(|value| 2 * graph.shape(*value).element_count() <= MOST)
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let Op::Dot(dims) = &graph.node(node).op else { return None };
    let wide: Vec<Tensor> = operands.iter().map(|operand| operand.convert(DType::F32)).collect();
    Some(record(**dims, &wide))
}
