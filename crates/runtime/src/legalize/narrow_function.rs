//! Functions of floats below 32 bits through `f32`, rounded once: the plugin composes the logistic
//! function of several ops of the type, each of which rounds, and computes those of a byte and less
//! in `f16`, from which it rounds again.

use super::{Change, Pass, Platforms, result};
use hloom_graph::{DType, Graph, NodeId, Op, Tensor, Unary, record};

pub(super) const PASS: Pass = Pass {
    name: "narrow_function",
    defects: &["short_logistics_are_rounded_several_times", "functions_of_bytes_are_rounded_twice"],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

/// Functions whose results are rounded.
const ROUNDED: [Unary; 13] = [
    Unary::Exp,
    Unary::ExpM1,
    Unary::Log,
    Unary::Log1p,
    Unary::Sqrt,
    Unary::Rsqrt,
    Unary::Cbrt,
    Unary::Sin,
    Unary::Cos,
    Unary::Tan,
    Unary::Tanh,
    Unary::Logistic,
    Unary::Erf,
];

fn matches(graph: &Graph, node: NodeId) -> bool {
    let Op::Unary(function) = graph.node(node).op else { return false };
    let dtype = result(graph, node).dtype();
    if !dtype.is_float() {
        return false;
    }
    if dtype.bits() <= 8 {
        ROUNDED.contains(&function)
    } else {
        dtype.bits() < 32 && function == Unary::Logistic
    }
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let Op::Unary(function) = graph.node(node).op else { return None };
    let wide = record(function, &[operands.first()?.convert(DType::F32)]);
    Some(vec![wide.first()?.convert(result(graph, node).dtype())])
}
