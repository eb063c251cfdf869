//! The error function of `f32`, clamped to its limits. Approximations stay below 1 or exceed it by
//! up to a unit in the last place per operation, and products with large numbers amplify the
//! difference.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{DType, Graph, NodeId, Op, Tensor, Unary};

pub(super) const PASS: Pass = Pass {
    name: "erf",
    defects: &["erf_stops_short_of_one"],
    platforms: Platforms::All,
    until: Some(106),
    matches,
    change: Change::Tensors(change),
};

/// From here on the error function rounds to 1.
const LIMIT: f64 = 3.919_206;

fn matches(graph: &Graph, node: NodeId) -> bool {
    graph.node(node).op == Op::Unary(Unary::Erf) && result(graph, node).dtype() == DType::F32
}

fn change(_: &Graph, _: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let &[x] = operands else {
        return None;
    };
    Some(vec![x.abs().ge(LIMIT).select(x.sign(), x.erf().clamp(-1.0, 1.0))])
}
