//! The error function of `f32`, clamped to its limits. Approximations stay below 1 or exceed it by
//! up to a unit in the last place per operation, and products with large numbers amplify the
//! difference.

use super::{Change, Pass, Platforms, Replacement, result, tensor};
use hloom_graph::{DType, Graph, NodeId, Op, Unary};

pub(super) const PASS: Pass = Pass {
    name: "erf",
    defects: &["erf_stops_short_of_one"],
    platforms: Platforms::All,
    until: Some(106),
    change: Change::Tensors(change),
};

/// From here on the error function rounds to 1.
const LIMIT: f64 = 3.919_206;

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    if graph.node(node).op != Op::Unary(Unary::Erf) || result(graph, node).dtype() != DType::F32 {
        return None;
    }
    tensor(|[x]| x.abs().ge(LIMIT).select(x.sign(), x.erf().clamp(-1.0, 1.0)))
}
