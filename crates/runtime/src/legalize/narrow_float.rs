//! Conversions of `f4e2m1fn` to integers through `f32`: the plugin takes the largest values of this
//! type for infinite, and converts them to the largest integer.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{DType, Graph, NodeId, Op, Tensor};

pub(super) const PASS: Pass = Pass {
    name: "narrow_float",
    defects: &["largest_f4_becomes_the_largest_integer"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    matches!(graph.node(node).op, Op::Convert(_))
        && graph.dtype(graph.operands(node)[0]) == DType::F4E2M1FN
        && result(graph, node).dtype().is_int()
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    Some(vec![operands.first()?.convert(DType::F32).convert(result(graph, node).dtype())])
}
