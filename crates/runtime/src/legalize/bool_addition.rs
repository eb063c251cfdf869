//! Sums of `bool`, as in the specification and NumPy; the plugin folds them as exclusive or.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{Binary, DType, Graph, NodeId, Op, Tensor};

pub(super) const PASS: Pass = Pass {
    name: "bool_addition",
    defects: &["folded_additions_of_bools_are_exclusive"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    graph.node(node).op == Op::Binary(Binary::Add) && result(graph, node).dtype() == DType::Bool
}

fn change(_: &Graph, _: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let &[left, right] = operands else {
        return None;
    };
    Some(vec![left | right])
}
