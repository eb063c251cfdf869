//! Sorts with elements below a byte, which plugins do not sort together with others.

use super::{
    Change, Pass, Platforms, Replacement,
    narrow::{converted, wide_number},
    tensors,
};
use hloom_graph::{DType, Graph, NodeId, Op};

pub(super) const PASS: Pass = Pass {
    name: "narrow_sort",
    defects: &["narrow_integers_are_not_sorted_beside_others"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let op @ Op::Sort(_) = &graph.node(node).op else { return None };
    let is_narrow = |&value| wide_number(graph.dtype(value)).is_some();
    if !graph.operands(node).iter().any(is_narrow) {
        return None;
    }
    let dtypes: Vec<DType> = graph.node_results(node).map(|value| graph.dtype(value)).collect();
    tensors(move |operands| Some(converted(op.clone(), operands, &dtypes)))
}
