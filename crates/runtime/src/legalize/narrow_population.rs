//! Counts of the bits of `i4` as those of `u4`: the plugin also counts the sign bits that fill the
//! byte.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{DType, Graph, NodeId, Op, Tensor, Unary};

pub(super) const PASS: Pass = Pass {
    name: "narrow_population",
    defects: &["bits_of_i4_are_counted_in_bytes"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    graph.node(node).op == Op::Unary(Unary::PopulationCount)
        && result(graph, node).dtype() == DType::I4
}

fn change(_: &Graph, _: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    Some(vec![operands.first()?.bitcast(DType::U4).population_count().bitcast(DType::I4)])
}
