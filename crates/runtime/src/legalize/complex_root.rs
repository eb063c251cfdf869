//! Square roots of complex numbers, whose imaginary part has the sign of the operand's, also of a
//! zero: below the negative real axis the plugin returns the root of the number above it.

use super::{Change, Pass, Platforms, Replacement, result, tensor};
use hloom_graph::{DType, Graph, NodeId, Op, Unary};

pub(super) const PASS: Pass = Pass {
    name: "complex_root",
    defects: &["roots_next_to_the_branch_cut_are_on_one_side"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    if graph.node(node).op != Op::Unary(Unary::Sqrt) || !result(graph, node).dtype().is_complex() {
        return None;
    }
    tensor(|[x]| {
        let (root, below) = (x.sqrt(), x.imag());
        let word = if below.dtype() == DType::F64 { DType::I64 } else { DType::I32 };
        let size = root.imag().abs();
        root.real().complex(below.bitcast(word).lt(0).select(-size, size))
    })
}
