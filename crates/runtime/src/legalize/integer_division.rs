//! Quotients and remainders of integers whose divisor may be 0: a plugin that folds a division of
//! constants by 0 as the processor does ends the process.

use super::{Change, Pass, Platforms, Replacement, result, tensor};
use hloom_graph::{Binary, DType, Graph, NodeId, Op, Tensor};

pub(super) const PASS: Pass = Pass {
    name: "integer_division",
    defects: &["folded_divisions_by_zero_end_the_process"],
    platforms: Platforms::All,
    until: Some(115),
    change: Change::Tensors(change),
};

/// Divides by 1 instead, and selects the result of a division by 0: all bits set, or the dividend
/// as the remainder.
fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Binary(op @ (Binary::Div | Binary::Rem)) = graph.node(node).op else { return None };
    let may_be_zero = match &graph.node(graph.value(graph.operands(node)[1]).node).op {
        Op::Splat(splat) => splat.scalar.bytes().iter().all(|&byte| byte == 0),
        _ => true,
    };
    if !may_be_zero || !result(graph, node).dtype().is_int() {
        return None;
    }
    tensor(move |[dividend, divisor]| {
        let is_zero = divisor.eq(0);
        let divisor = is_zero.select(divisor.full_like(1), divisor);
        if op == Binary::Div {
            is_zero.select(all_bits(dividend), dividend / divisor)
        } else {
            is_zero.select(dividend, dividend % divisor)
        }
    })
}

fn all_bits(like: Tensor) -> Tensor {
    match like.dtype() {
        dtype if dtype.is_signed_int() => like.full_like(-1),
        DType::U64 => like.full_like(u64::MAX),
        dtype => like.full_like((1u64 << dtype.bits()) - 1),
    }
}
