//! Collectives of tensors without elements, which exchange nothing and which plugins reject.

use super::{Change, Pass, Platforms, Replacement, result, tensors};
use hloom_graph::{Collective, Graph, NodeId, Op, Tensor};

pub(super) const PASS: Pass = Pass {
    name: "empty_collective",
    defects: &["nothing_is_not_gathered_between_devices"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Collective(collective) = &graph.node(node).op else { return None };
    let shape = result(graph, node);
    if matches!(**collective, Collective::AxisIndex(_)) || shape.element_count() > 0 {
        return None;
    }
    tensors(move |_| Some(vec![Tensor::ones(shape.dtype(), shape.axes())]))
}
