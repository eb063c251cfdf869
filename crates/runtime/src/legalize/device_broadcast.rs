//! Broadcasts from one device on plugins without the op: all devices gather all values and take the
//! source's.

use super::{Change, Pass, Platforms, Replacement, result, tensor};
use hloom_graph::{Collective, Graph, NodeId, Op, record};
use hloom_pjrt::PlatformKind;

pub(super) const PASS: Pass = Pass {
    name: "device_broadcast",
    defects: &["values_are_not_broadcast_between_devices"],
    platforms: Platforms::Except(&[PlatformKind::Cuda, PlatformKind::Rocm]),
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Collective(collective) = &graph.node(node).op else { return None };
    let Collective::Broadcast { source, over } = **collective else { return None };
    let shape = result(graph, node);
    tensor(move |[x]| {
        // Values are gathered along an axis that they have: a tensor may have as many as there can
        // be.
        let own = if shape.rank() == 0 { x.reshape([1]) } else { x };
        let size = own.size(0) as isize;
        let all = record(Collective::AllGather { axis: 0, over }, &[own])[0];
        let source = source as isize;
        all.slice(0, source * size..(source + 1) * size).reshape(shape.axes())
    })
}
