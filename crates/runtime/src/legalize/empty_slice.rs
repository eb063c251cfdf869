//! Slices without elements: the plugin looks for the operand of a concatenation that contains such
//! a slice, and ends the process.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{Graph, NodeId, Op, Tensor};

pub(super) const PASS: Pass = Pass {
    name: "empty_slice",
    defects: &["empty_parts_of_concatenations_end_the_process"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    matches!(graph.node(node).op, Op::Slice(_)) && result(graph, node).element_count() == 0
}

fn change(graph: &Graph, node: NodeId, _: &[Tensor]) -> Option<Vec<Tensor>> {
    let shape = result(graph, node);
    Some(vec![Tensor::ones(shape.dtype(), shape.axes())])
}
