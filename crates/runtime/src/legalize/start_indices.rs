//! Start indices of slices over a mesh, clamped before the compiler splits the slice: it would
//! clamp them to the part of each device.

use super::{Change, Pass, Platforms, is_partitioned};
use hloom_graph::{Graph, NodeId, Op, Tensor, ValueId, record};

pub(super) const PASS: Pass = Pass {
    name: "start_indices",
    defects: &["start_indices_are_clamped_to_a_part"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    let Some(starts) = starts(graph, node) else {
        return false;
    };
    is_partitioned(graph, node) && starts.iter().any(|&start| !is_zero(graph, start))
}

/// The start indices that a slicing op takes.
fn starts(graph: &Graph, node: NodeId) -> Option<&[ValueId]> {
    match graph.node(node).op {
        Op::DynamicSlice(_) => graph.operands(node).get(1..),
        Op::DynamicUpdateSlice(_) => graph.operands(node).get(2..),
        _ => None,
    }
}

fn is_zero(graph: &Graph, value: ValueId) -> bool {
    match &graph.node(graph.value(value).node).op {
        Op::Splat(splat) => splat.scalar.bytes().iter().all(|&byte| byte == 0),
        _ => false,
    }
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let (op, starts) = (&graph.node(node).op, starts(graph, node)?);
    let whole = graph.shape(graph.operands(node)[0]);
    let sizes = match op {
        Op::DynamicSlice(slice) => slice.sizes,
        _ => hloom_graph::PerAxis::from_slice(graph.shape(graph.operands(node)[1]).sizes())?,
    };
    let mut operands = operands.to_vec();
    let first = operands.len() - starts.len();
    for (axis, &start) in starts.iter().enumerate() {
        if is_zero(graph, start) {
            continue;
        }
        let dtype = graph.dtype(start);
        let bits = dtype.bits() - usize::from(dtype.is_signed_int());
        let most = u64::MAX.checked_shr(64 - bits as u32).unwrap_or(0) as usize;
        let largest = (whole.sizes()[axis] - sizes[axis]).min(most);
        operands[first + axis] = operands[first + axis].clamp(0, largest);
    }
    Some(record(op.clone(), &operands))
}
