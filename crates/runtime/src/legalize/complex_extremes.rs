//! Maxima and minima of complex numbers, by real parts and then by imaginary parts, which the
//! plugin ignores. An operand with a NaN propagates.

use super::{Change, Pass, Platforms, Replacement, result, tensor};
use hloom_graph::{Binary, Graph, NodeId, Op, Tensor};

pub(super) const PASS: Pass = Pass {
    name: "complex_extremes",
    defects: &["imaginary_parts_are_not_compared"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Binary(extreme @ (Binary::Maximum | Binary::Minimum)) = graph.node(node).op else {
        return None;
    };
    if !result(graph, node).dtype().is_complex() {
        return None;
    }
    let beats =
        move |a: Tensor, b: Tensor| if extreme == Binary::Maximum { a.gt(b) } else { a.lt(b) };
    tensor(move |[left, right]| {
        let ties = left.real().eq(right.real()) & beats(left.imag(), right.imag());
        let wins = (beats(left.real(), right.real()) | ties) & !right.is_nan();
        (wins | left.is_nan()).select(left, right)
    })
}
