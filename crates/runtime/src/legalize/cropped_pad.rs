//! Pads over a mesh that crop an edge, which end the process together with interior padding: the
//! edges are cropped afterwards.

use super::{Change, Pass, Platforms, is_partitioned, result};
use hloom_graph::{Graph, NodeId, Op, PadDims, PerAxis, SliceDims, Tensor, record};

pub(super) const PASS: Pass = Pass {
    name: "cropped_pad",
    defects: &["a_cut_edge_ends_the_partitioner"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    match &graph.node(node).op {
        Op::Pad(dims) => {
            dims.low.iter().chain(dims.high.iter()).any(|&edge| edge < 0)
                && is_partitioned(graph, node)
        }
        _ => false,
    }
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let Op::Pad(dims) = &graph.node(node).op else {
        return None;
    };
    let shape = result(graph, node);
    let kept = |edges: &[isize]| PerAxis::collect(edges.iter().map(|&edge| edge.max(0)));
    let wide = PadDims { low: kept(&dims.low), high: kept(&dims.high), interior: dims.interior };
    let start: PerAxis<usize> =
        PerAxis::collect(dims.low.iter().map(|&edge| edge.min(0).unsigned_abs()));
    let limit =
        PerAxis::collect(shape.sizes().iter().zip(start.iter()).map(|(size, at)| size + at));
    let stride = PerAxis::collect((0..shape.rank()).map(|_| 1));
    let wide = record(wide, operands);
    Some(record(SliceDims { start, limit, stride }, &wide))
}
