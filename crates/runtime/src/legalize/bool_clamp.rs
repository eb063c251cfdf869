//! Clamped `bool` values, which the plugin's constant evaluator does not support.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{DType, Graph, NodeId, Op, Tensor};

pub(super) const PASS: Pass = Pass {
    name: "bool_clamp",
    defects: &["bools_are_not_clamped"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    matches!(graph.node(node).op, Op::Clamp(_)) && result(graph, node).dtype() == DType::Bool
}

fn change(_: &Graph, _: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let &[low, x, high] = operands else {
        return None;
    };
    Some(vec![(x | low) & high])
}
