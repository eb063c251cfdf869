//! Square roots of complex numbers, whose imaginary part has the sign of the operand's, also of a
//! zero: below the negative real axis the plugin returns the root of the number above it.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{DType, Graph, NodeId, Op, Tensor, Unary};

pub(super) const PASS: Pass = Pass {
    name: "complex_root",
    defects: &["roots_next_to_the_branch_cut_are_on_one_side"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    graph.node(node).op == Op::Unary(Unary::Sqrt) && result(graph, node).dtype().is_complex()
}

fn change(_: &Graph, _: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let &[x] = operands else {
        return None;
    };
    let (root, below) = (x.sqrt(), x.imag());
    let word = if below.dtype() == DType::F64 { DType::I64 } else { DType::I32 };
    let size = root.imag().abs();
    Some(vec![root.real().complex(below.bitcast(word).lt(0).select(-size, size))])
}
