//! Sines and cosines of complex numbers by real functions: the plugin computes the hyperbolic sine
//! of the imaginary part as the difference of two exponentials, which cancels next to 0.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{Graph, NodeId, Op, Tensor, Unary};

pub(super) const PASS: Pass = Pass {
    name: "complex_sine",
    defects: &["sines_next_to_the_real_axis_cancel"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    let is_one = matches!(graph.node(node).op, Op::Unary(Unary::Sin | Unary::Cos));
    is_one && result(graph, node).dtype().is_complex()
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let &[x] = operands else {
        return None;
    };
    let (a, b) = (x.real(), x.imag());
    // 0 times infinity would be NaN, so a product with a factor of 0 is set to 0.
    if graph.node(node).op == Op::Unary(Unary::Cos) {
        let zero = a.clamp(-1, 1) * b.clamp(-1, 1);
        let imag = (a.eq(0) | b.eq(0)).select(zero, a.sin() * b.sinh());
        return Some(vec![(a.cos() * b.cosh()).complex(-imag)]);
    }
    let real = a.eq(0).select(a, a.sin() * b.cosh());
    let imag = b.eq(0).select(b, a.cos() * b.sinh());
    Some(vec![real.complex(imag)])
}
