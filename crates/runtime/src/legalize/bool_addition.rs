//! Sums of `bool`, as in the specification and NumPy; the plugin folds them as exclusive or.

use super::{Change, Pass, Platforms, Replacement, result, tensor};
use hloom_graph::{Binary, DType, Graph, NodeId, Op};

pub(super) const PASS: Pass = Pass {
    name: "bool_addition",
    defects: &["folded_additions_of_bools_are_exclusive"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    if graph.node(node).op != Op::Binary(Binary::Add) || result(graph, node).dtype() != DType::Bool
    {
        return None;
    }
    tensor(|[left, right]| left | right)
}
