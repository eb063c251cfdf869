//! Broadcasts from one device on plugins without the op: all devices gather all values and take the
//! source's.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{Collective, Graph, NodeId, Op, Tensor, record};

pub(super) const PASS: Pass = Pass {
    name: "device_broadcast",
    defects: &["values_are_not_broadcast_between_devices"],
    platforms: Platforms::Except(&["cuda", "rocm"]),
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    match &graph.node(node).op {
        Op::Collective(collective) => matches!(**collective, Collective::Broadcast { .. }),
        _ => false,
    }
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let (Op::Collective(collective), &[x]) = (&graph.node(node).op, operands) else {
        return None;
    };
    let &Collective::Broadcast { source, over } = &**collective else {
        return None;
    };
    let shape = result(graph, node);
    // Values are gathered along an axis that they have: a tensor may have as many as there can be.
    let own = if shape.rank() == 0 { x.reshape([1]) } else { x };
    let size = own.size(0) as isize;
    let all = record(Collective::AllGather { axis: 0, over }, &[own])[0];
    let source = source as isize;
    Some(vec![all.slice(0, source * size..(source + 1) * size).reshape(shape.axes())])
}
