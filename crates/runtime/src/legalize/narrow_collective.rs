//! Communication of elements below a byte.

use super::{
    Change, Pass, Platforms,
    narrow::{in_wide, wide_bits, wide_integer},
    result,
};
use hloom_graph::{Collective, DType, Graph, NodeId, Op, Tensor};

pub(super) const PASS: Pass = Pass {
    name: "narrow_collective",
    defects: &["narrow_integers_are_not_summed_over_devices"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    types(graph, node).is_some()
}

/// The types of the bits and of the bytes that hold them.
fn types(graph: &Graph, node: NodeId) -> Option<(DType, DType)> {
    let Op::Collective(collective) = &graph.node(node).op else {
        return None;
    };
    let dtype = result(graph, node).dtype();
    match **collective {
        Collective::AllReduce { .. } | Collective::ReduceScatter { .. } => {
            wide_integer(dtype).map(|wide| (dtype, wide))
        }
        _ => wide_bits(dtype),
    }
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    Some(in_wide(graph, node, operands, types(graph, node)?))
}
