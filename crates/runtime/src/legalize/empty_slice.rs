//! Slices without elements: the plugin looks for the operand of a concatenation that contains such
//! a slice, and ends the process.

use super::{Change, Pass, Platforms, Replacement, result, tensors};
use hloom_graph::{Graph, NodeId, Op, Tensor};

pub(super) const PASS: Pass = Pass {
    name: "empty_slice",
    defects: &["empty_parts_of_concatenations_end_the_process"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Slice(_) = graph.node(node).op else { return None };
    let shape = result(graph, node);
    if shape.element_count() > 0 {
        return None;
    }
    tensors(move |_| Some(vec![Tensor::ones(shape.dtype(), shape.axes())]))
}
