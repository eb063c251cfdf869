//! Maxima and minima of complex numbers, by real parts and then by imaginary parts, which the
//! plugin ignores. An operand with a NaN propagates.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{Binary, Graph, NodeId, Op, Tensor};

pub(super) const PASS: Pass = Pass {
    name: "complex_extremes",
    defects: &["imaginary_parts_are_not_compared"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    matches!(graph.node(node).op, Op::Binary(Binary::Maximum | Binary::Minimum))
        && result(graph, node).dtype().is_complex()
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let &[left, right] = operands else {
        return None;
    };
    let beats = |a: Tensor, b: Tensor| match graph.node(node).op {
        Op::Binary(Binary::Maximum) => a.gt(b),
        _ => a.lt(b),
    };
    let ties = left.real().eq(right.real()) & beats(left.imag(), right.imag());
    let wins = (beats(left.real(), right.real()) | ties) & !right.is_nan();
    Some(vec![(wins | left.is_nan()).select(left, right)])
}
