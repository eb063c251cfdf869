//! Start indices of slices over a mesh, clamped before the compiler splits the slice: it would
//! clamp them to the part of each device.

use super::{Change, Pass, Platforms, Replacement, tensors};
use hloom_graph::{Graph, NodeId, Op, PerAxis, ValueId, record};

pub(super) const PASS: Pass = Pass {
    name: "start_indices",
    defects: &["start_indices_are_clamped_to_a_part"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let (op, operands) = (&graph.node(node).op, graph.operands(node));
    // The first start index, and the sizes of the slice.
    let (first, sizes) = match op {
        Op::DynamicSlice(slice) => (1, slice.sizes),
        Op::DynamicUpdateSlice(_) => {
            (2, PerAxis::from_slice(graph.shape(*operands.get(1)?).sizes())?)
        }
        _ => return None,
    };
    let starts = operands.get(first..)?;
    if graph.is_per_device(node) || starts.iter().all(|&start| is_zero(graph, start)) {
        return None;
    }
    let whole = graph.shape(operands[0]);
    tensors(move |operands| {
        let mut operands = operands.to_vec();
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
    })
}

fn is_zero(graph: &Graph, value: ValueId) -> bool {
    match &graph.node(graph.value(value).node).op {
        Op::Splat(splat) => splat.scalar.bytes().iter().all(|&byte| byte == 0),
        _ => false,
    }
}
