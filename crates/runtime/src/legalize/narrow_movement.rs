//! Elements below a byte that an op moves: concatenations, transposes and gathers.

use super::{
    Change, Pass, Platforms,
    narrow::{in_wide, wide_bits},
    result,
};
use hloom_graph::{Graph, NodeId, Op, Tensor};

pub(super) const PASS: Pass = Pass {
    name: "narrow_movement",
    defects: &[
        "narrow_integers_are_not_concatenated",
        "narrow_integers_are_not_transposed",
        "narrow_integers_are_not_gathered",
    ],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    matches!(graph.node(node).op, Op::Concatenate(_) | Op::Transpose(_) | Op::Gather(_))
        && wide_bits(result(graph, node).dtype()).is_some()
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    Some(in_wide(graph, node, operands, wide_bits(result(graph, node).dtype())?))
}
