//! Imaginary parts of real numbers, which are 0: the plugin simplifies them only after it has
//! folded the `atan2` of zeros to NaN.

use super::{Change, Pass, Platforms, Replacement, tensor};
use hloom_graph::{DType, Graph, NodeId, Op, Unary};

pub(super) const PASS: Pass = Pass {
    name: "imaginary_part",
    defects: &["angles_of_imaginary_zeros_are_nan"],
    platforms: Platforms::All,
    until: Some(106),
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Unary(Unary::Imag) = graph.node(node).op else { return None };
    let dtype = graph.dtype(graph.operands(node)[0]);
    // This type has no 0.
    if dtype.is_complex() || dtype == DType::F8E8M0FNU {
        return None;
    }
    tensor(|[x]| x.full_like(0))
}
