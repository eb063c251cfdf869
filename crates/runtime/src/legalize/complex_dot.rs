//! Products of `c64` with sums in `c128`, which cuBLASLt lacks: the operands are converted first.

use super::{Change, Pass, Platforms, Replacement, result, tensor};
use hloom_graph::{DType, DotDims, Graph, NodeId, Op, Tensor, record};
use hloom_pjrt::PlatformKind;

pub(super) const PASS: Pass = Pass {
    name: "complex_dot",
    defects: &["sums_of_complex_products_are_not_wider"],
    platforms: Platforms::Only(&[PlatformKind::Cuda]),
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Dot(dims) = &graph.node(node).op else { return None };
    let from = graph.dtype(graph.operands(node)[0]);
    if result(graph, node).dtype() != DType::C128 || from == DType::C128 {
        return None;
    }
    let dims = DotDims { accumulate: None, ..**dims };
    tensor(move |operands: [Tensor; 2]| record(dims, &operands.map(|x| x.convert(DType::C128)))[0])
}
