//! Quotients of quotients, which the compiler merges: `(a / b) / c` becomes `a / (b c)` and
//! `a / (b / c)` becomes `a c / b`, whose products overflow and underflow where the quotients do
//! not.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{Binary, Graph, NodeId, Op, Tensor, ValueId, optimization_barrier};

/// Keeps the inner quotient as it is. The barrier is gone before operations are fused.
pub(super) const PASS: Pass = Pass {
    name: "nested_division",
    defects: &["quotients_of_quotients_are_merged"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    graph.node(node).op == Op::Binary(Binary::Div)
        && !result(graph, node).dtype().is_int()
        && graph.operands(node).iter().any(|&value| is_quotient(graph, value))
}

/// Whether a value is a quotient.
fn is_quotient(graph: &Graph, value: ValueId) -> bool {
    graph.node(graph.value(value).node).op == Op::Binary(Binary::Div)
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let &[left, right] = operands else {
        return None;
    };
    let &[from_left, from_right] = graph.operands(node) else {
        return None;
    };
    let kept = |x: Tensor, from: ValueId| {
        if is_quotient(graph, from) { optimization_barrier(x) } else { x }
    };
    Some(vec![kept(left, from_left) / kept(right, from_right)])
}
