//! Sorts with elements below a byte, which plugins do not sort together with others.

use super::{
    Change, Pass, Platforms,
    narrow::{converted, wide_number},
};
use hloom_graph::{DType, Graph, NodeId, Op, Tensor};

pub(super) const PASS: Pass = Pass {
    name: "narrow_sort",
    defects: &["narrow_integers_are_not_sorted_beside_others"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    let is_narrow = |&value| wide_number(graph.dtype(value)).is_some();
    matches!(graph.node(node).op, Op::Sort(_)) && graph.operands(node).iter().any(is_narrow)
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let dtypes: Vec<DType> = graph.node_results(node).map(|value| graph.dtype(value)).collect();
    Some(converted(graph.node(node).op.clone(), operands, &dtypes))
}
