//! Convolutions of `c128`, which cuDNN lacks: four of `f64`.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{ConvDims, DType, Graph, NodeId, Op, Tensor, record};

pub(super) const PASS: Pass = Pass {
    name: "complex_convolution",
    defects: &["complex_numbers_are_not_convolved"],
    platforms: Platforms::Only(&["cuda"]),
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    matches!(graph.node(node).op, Op::Convolution(_)) && result(graph, node).dtype().is_complex()
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let (Op::Convolution(dims), &[input, kernel]) = (&graph.node(node).op, operands) else {
        return None;
    };
    let dtype: DType = result(graph, node).dtype().real();
    let dims = ConvDims { accumulate: None, ..ConvDims::clone(dims) };
    let parts = |x: Tensor| [x.real().convert(dtype), x.imag().convert(dtype)];
    let ([a, b], [c, d]) = (parts(input), parts(kernel));
    let product = |x: Tensor, y: Tensor| record(dims.clone(), &[x, y])[0];
    let (real, imaginary) = (product(a, c) - product(b, d), product(a, d) + product(b, c));
    Some(vec![real.complex(imaginary)])
}
