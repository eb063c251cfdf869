//! Quotients of quotients, which the compiler merges: `(a / b) / c` becomes `a / (b c)` and
//! `a / (b / c)` becomes `a c / b`, whose products overflow and underflow where the quotients do
//! not.

use super::{Change, Pass, Platforms, Replacement, result, tensor};
use hloom_graph::{Binary, Graph, NodeId, Op, Tensor, optimization_barrier};

/// Keeps the inner quotient as it is. The barrier is gone before operations are fused.
pub(super) const PASS: Pass = Pass {
    name: "nested_division",
    defects: &["quotients_of_quotients_are_merged"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let is_quotient = |node: NodeId| graph.node(node).op == Op::Binary(Binary::Div);
    if !is_quotient(node) || result(graph, node).dtype().is_int() {
        return None;
    }
    let &[left, right] = graph.operands(node) else { return None };
    let are_quotients = [left, right].map(|value| is_quotient(graph.value(value).node));
    if are_quotients == [false, false] {
        return None;
    }
    tensor(move |[left, right]| {
        let kept = |x: Tensor, is_quotient| if is_quotient { optimization_barrier(x) } else { x };
        kept(left, are_quotients[0]) / kept(right, are_quotients[1])
    })
}
