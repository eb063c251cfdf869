//! Functions of floats below 32 bits through `f32`, rounded once: the plugin composes the logistic
//! function of several ops of the type, each of which rounds, and computes those of a byte and less
//! in `f16`, from which it rounds again.

use super::{Change, Pass, Platforms, Replacement, result, tensor};
use hloom_graph::{DType, Graph, NodeId, Op, Unary, record};

pub(super) const PASS: Pass = Pass {
    name: "narrow_function",
    defects: &["short_logistics_are_rounded_several_times", "functions_of_bytes_are_rounded_twice"],
    platforms: Platforms::All,
    until: None,
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

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Unary(function) = graph.node(node).op else { return None };
    let dtype = result(graph, node).dtype();
    let is_rounded_twice = if dtype.bits() <= 8 {
        ROUNDED.contains(&function)
    } else {
        dtype.bits() < 32 && function == Unary::Logistic
    };
    if !dtype.is_float() || !is_rounded_twice {
        return None;
    }
    tensor(move |[x]| record(function, &[x.convert(DType::F32)])[0].convert(dtype))
}
