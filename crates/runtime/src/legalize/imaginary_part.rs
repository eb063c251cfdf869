//! Imaginary parts of real numbers, which are 0: the plugin simplifies them only after it has
//! folded the `atan2` of zeros to NaN.

use super::{Change, Pass, Platforms};
use hloom_graph::{DType, Graph, NodeId, Op, Tensor, Unary};

pub(super) const PASS: Pass = Pass {
    name: "imaginary_part",
    defects: &["angles_of_imaginary_zeros_are_nan"],
    platforms: Platforms::All,
    until: Some(106),
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    let Op::Unary(Unary::Imag) = graph.node(node).op else {
        return false;
    };
    let dtype = graph.dtype(graph.operands(node)[0]);
    // This type has no 0.
    !dtype.is_complex() && dtype != DType::F8E8M0FNU
}

fn change(_: &Graph, _: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    Some(vec![operands.first()?.full_like(0)])
}
