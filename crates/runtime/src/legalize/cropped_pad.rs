//! Pads over a mesh that crop an edge, which end the process together with interior padding: the
//! edges are cropped afterwards.

use super::{Change, Pass, Platforms, Replacement, result, tensors};
use hloom_graph::{Graph, NodeId, Op, PadDims, PerAxis, SliceDims, record};

pub(super) const PASS: Pass = Pass {
    name: "cropped_pad",
    defects: &["a_cut_edge_ends_the_partitioner"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Pad(dims) = &graph.node(node).op else { return None };
    if dims.low.iter().chain(dims.high.iter()).all(|&edge| edge >= 0) || graph.is_per_device(node) {
        return None;
    }
    let shape = result(graph, node);
    tensors(move |operands| {
        let kept = |edges: &[isize]| PerAxis::collect(edges.iter().map(|&edge| edge.max(0)));
        let (low, high) = (kept(&dims.low), kept(&dims.high));
        let wide = PadDims { low, high, interior: dims.interior };
        let start: PerAxis<usize> =
            PerAxis::collect(dims.low.iter().map(|&edge| edge.min(0).unsigned_abs()));
        let limit =
            PerAxis::collect(shape.sizes().iter().zip(start.iter()).map(|(size, at)| size + at));
        let stride = PerAxis::collect((0..shape.rank()).map(|_| 1));
        let wide = record(wide, operands);
        Some(record(SliceDims { start, limit, stride }, &wide))
    })
}
