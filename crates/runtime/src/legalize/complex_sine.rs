//! Sines and cosines of complex numbers by real functions: the plugin computes the hyperbolic sine
//! of the imaginary part as the difference of two exponentials, which cancels next to 0.

use super::{Change, Pass, Platforms, Replacement, result, tensor};
use hloom_graph::{Graph, NodeId, Op, Unary};

pub(super) const PASS: Pass = Pass {
    name: "complex_sine",
    defects: &["sines_next_to_the_real_axis_cancel"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Unary(function @ (Unary::Sin | Unary::Cos)) = graph.node(node).op else { return None };
    if !result(graph, node).dtype().is_complex() {
        return None;
    }
    tensor(move |[x]| {
        let (a, b) = (x.real(), x.imag());
        // 0 times infinity would be NaN, so a product with a factor of 0 is set to 0.
        if function == Unary::Cos {
            let zero = a.clamp(-1, 1) * b.clamp(-1, 1);
            let imag = (a.eq(0) | b.eq(0)).select(zero, a.sin() * b.sinh());
            return (a.cos() * b.cosh()).complex(-imag);
        }
        let real = a.eq(0).select(a, a.sin() * b.cosh());
        let imag = b.eq(0).select(b, a.cos() * b.sinh());
        real.complex(imag)
    })
}
