//! Elements below a byte that an op moves: concatenations, transposes and gathers.

use super::{
    Change, Pass, Platforms, Replacement,
    narrow::{in_wide, wide_bits},
    result, tensors,
};
use hloom_graph::{Graph, NodeId, Op};

pub(super) const PASS: Pass = Pass {
    name: "narrow_movement",
    defects: &[
        "narrow_integers_are_not_concatenated",
        "narrow_integers_are_not_transposed",
        "narrow_integers_are_not_gathered",
    ],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let (Op::Concatenate(_) | Op::Transpose(_) | Op::Gather(_)) = graph.node(node).op else {
        return None;
    };
    let types = wide_bits(result(graph, node).dtype())?;
    tensors(move |operands| Some(in_wide(graph, node, operands, types)))
}
