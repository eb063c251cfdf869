//! Absolute values of complex numbers with an infinite part: infinity, whatever the other part is,
//! where the plugin returns NaN for NaN.

use super::{Change, Pass, Platforms, Replacement, tensor};
use hloom_graph::{Graph, NodeId, Op, Unary};

pub(super) const PASS: Pass = Pass {
    name: "complex_modulus",
    defects: &["the_modulus_of_infinity_and_nan_is_nan"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    if graph.node(node).op != Op::Unary(Unary::Abs)
        || !graph.dtype(graph.operands(node)[0]).is_complex()
    {
        return None;
    }
    tensor(|[x]| {
        let modulus = x.abs();
        let is_infinite = x.real().is_inf() | x.imag().is_inf();
        is_infinite.select(modulus.full_like(f64::INFINITY), modulus)
    })
}
