//! Conversions of `f4e2m1fn` to integers through `f32`: the plugin takes the largest values of this
//! type for infinite, and converts them to the largest integer.

use super::{Change, Pass, Platforms, Replacement, result, tensor};
use hloom_graph::{DType, Graph, NodeId, Op};

pub(super) const PASS: Pass = Pass {
    name: "narrow_float",
    defects: &["largest_f4_becomes_the_largest_integer"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Convert(_) = graph.node(node).op else { return None };
    let dtype = result(graph, node).dtype();
    if graph.dtype(graph.operands(node)[0]) != DType::F4E2M1FN || !dtype.is_int() {
        return None;
    }
    tensor(move |[x]| x.convert(DType::F32).convert(dtype))
}
