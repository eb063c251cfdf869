//! Communication of elements below a byte.

use super::{
    Change, Pass, Platforms, Replacement,
    narrow::{in_wide, wide_bits, wide_integer},
    result, tensors,
};
use hloom_graph::{Collective, Graph, NodeId, Op};

pub(super) const PASS: Pass = Pass {
    name: "narrow_collective",
    defects: &["narrow_integers_are_not_summed_over_devices"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Collective(collective) = &graph.node(node).op else { return None };
    let dtype = result(graph, node).dtype();
    // The types of the bits and of the bytes that hold them.
    let types = match **collective {
        Collective::AllReduce { .. } | Collective::ReduceScatter { .. } => {
            (dtype, wide_integer(dtype)?)
        }
        _ => wide_bits(dtype)?,
    };
    tensors(move |operands| Some(in_wide(graph, node, operands, types)))
}
