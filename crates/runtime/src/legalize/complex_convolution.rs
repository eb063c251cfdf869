//! Convolutions of `c128`, which cuDNN lacks: four of `f64`.

use super::{Change, Pass, Platforms, Replacement, result, tensor};
use hloom_graph::{ConvDims, Graph, NodeId, Op, Tensor, record};
use hloom_pjrt::PlatformKind;

pub(super) const PASS: Pass = Pass {
    name: "complex_convolution",
    defects: &["complex_numbers_are_not_convolved"],
    platforms: Platforms::Only(&[PlatformKind::Cuda]),
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Convolution(dims) = &graph.node(node).op else { return None };
    let dtype = result(graph, node).dtype();
    if !dtype.is_complex() {
        return None;
    }
    let dims = ConvDims { accumulate: None, ..ConvDims::clone(dims) };
    tensor(move |[input, kernel]| {
        let parts = |x: Tensor| [x.real(), x.imag()].map(|part| part.convert(dtype.real()));
        let ([a, b], [c, d]) = (parts(input), parts(kernel));
        let product = |x: Tensor, y: Tensor| record(dims.clone(), &[x, y])[0];
        let (real, imaginary) = (product(a, c) - product(b, d), product(a, d) + product(b, c));
        real.complex(imaginary)
    })
}
