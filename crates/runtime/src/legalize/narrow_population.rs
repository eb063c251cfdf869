//! Counts of the bits of `i4` as those of `u4`: the plugin also counts the sign bits that fill the
//! byte.

use super::{Change, Pass, Platforms, Replacement, result, tensor};
use hloom_graph::{DType, Graph, NodeId, Op, Unary};

pub(super) const PASS: Pass = Pass {
    name: "narrow_population",
    defects: &["bits_of_i4_are_counted_in_bytes"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    if graph.node(node).op != Op::Unary(Unary::PopulationCount)
        || result(graph, node).dtype() != DType::I4
    {
        return None;
    }
    tensor(|[x]| x.bitcast(DType::U4).population_count().bitcast(DType::I4))
}
