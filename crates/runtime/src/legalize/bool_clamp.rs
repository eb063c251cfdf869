//! Clamped `bool` values, which the plugin's constant evaluator does not support.

use super::{Change, Pass, Platforms, Replacement, result, tensor};
use hloom_graph::{DType, Graph, NodeId, Op};

pub(super) const PASS: Pass = Pass {
    name: "bool_clamp",
    defects: &["bools_are_not_clamped"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Clamp(_) = graph.node(node).op else { return None };
    if result(graph, node).dtype() != DType::Bool {
        return None;
    }
    tensor(|[low, x, high]| (x | low) & high)
}
