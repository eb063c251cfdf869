//! Small dot products of `bf16` with sums in `f32`.

use super::{Change, Pass, Platforms, Replacement, bf16_sums::product_of_bf16, result, tensor};
use hloom_graph::{DType, Graph, NodeId, Tensor, record};
use hloom_pjrt::PlatformKind;

/// Converts the operands to `f32`.
///
/// The plugin compiles small loops as a whole, by code that has no product of `bf16`.
pub(super) const PASS: Pass = Pass {
    name: "small_bf16_dot",
    defects: &["small_products_of_bf16_in_loops_are_refused"],
    platforms: Platforms::Only(&[PlatformKind::Cpu]),
    until: Some(106),
    change: Change::Tensors(change),
};

/// The maximum number of bytes that a small loop moves.
const MAX_BYTES: usize = 1024;

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let dims = *product_of_bf16(graph, node, DType::F32)?;
    let mut operands = graph.operands(node).iter();
    let is_small = 4 * result(graph, node).element_count() <= MAX_BYTES
        && operands.all(|value| 2 * graph.shape(*value).element_count() <= MAX_BYTES);
    if !is_small {
        return None;
    }
    tensor(move |operands: [Tensor; 2]| record(dims, &operands.map(|x| x.convert(DType::F32)))[0])
}
