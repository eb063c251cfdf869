//! Collectives of tensors without elements, which exchange nothing and which plugins reject.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{Collective, Graph, NodeId, Op, Tensor};

pub(super) const PASS: Pass = Pass {
    name: "empty_collective",
    defects: &["nothing_is_not_gathered_between_devices"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    match &graph.node(node).op {
        Op::Collective(collective) => {
            !matches!(**collective, Collective::AxisIndex(_))
                && result(graph, node).element_count() == 0
        }
        _ => false,
    }
}

fn change(graph: &Graph, node: NodeId, _: &[Tensor]) -> Option<Vec<Tensor>> {
    let shape = result(graph, node);
    Some(vec![Tensor::ones(shape.dtype(), shape.axes())])
}
