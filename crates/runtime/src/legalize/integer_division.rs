//! Quotients and remainders of integers whose divisor may be 0: a plugin that folds a division of
//! constants by 0 as the processor does ends the process.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{Binary, DType, Graph, NodeId, Op, Tensor};

pub(super) const PASS: Pass = Pass {
    name: "integer_division",
    defects: &["folded_divisions_by_zero_end_the_process"],
    platforms: Platforms::All,
    until: Some(115),
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    let Op::Binary(Binary::Div | Binary::Rem) = graph.node(node).op else {
        return false;
    };
    let is_zero = match &graph.node(graph.value(graph.operands(node)[1]).node).op {
        Op::Splat(splat) => splat.scalar.bytes().iter().all(|&byte| byte == 0),
        _ => true,
    };
    is_zero && result(graph, node).dtype().is_int()
}

/// Divides by 1 instead, and selects the result of a division by 0: all bits set, or the dividend
/// as the remainder.
fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let &[dividend, divisor] = operands else {
        return None;
    };
    let is_zero = divisor.eq(0);
    let divisor = is_zero.select(divisor.full_like(1), divisor);
    Some(vec![match graph.node(node).op {
        Op::Binary(Binary::Div) => is_zero.select(all_bits(dividend), dividend / divisor),
        _ => is_zero.select(dividend, dividend % divisor),
    }])
}

fn all_bits(like: Tensor) -> Tensor {
    match like.dtype() {
        dtype if dtype.is_signed_int() => like.full_like(-1),
        DType::U64 => like.full_like(u64::MAX),
        dtype => like.full_like((1u64 << dtype.bits()) - 1),
    }
}
