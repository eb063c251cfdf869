//! Reductions of elements below a byte, which plugins do not reduce over devices or together with
//! indices, and whose maximum may be wrong.

use super::{
    Change, Pass, Platforms,
    narrow::{converted, in_wide, wide_integer, wide_number},
    result,
};
use hloom_graph::{Graph, NodeId, Op, Reduction, Tensor, op::Reduce};

pub(super) const PASS: Pass = Pass {
    name: "narrow_reduction",
    defects: &[
        "narrow_integers_are_not_reduced_beside_others",
        "the_largest_of_i2_made_of_bool_is_lost",
        "narrow_integers_are_not_cumulated",
        "narrow_integers_are_not_summed_over_devices",
    ],
    platforms: Platforms::All,
    until: None,
    matches,
    change: Change::Tensors(change),
};

fn matches(graph: &Graph, node: NodeId) -> bool {
    let shape = || graph.shape(graph.operands(node)[0]);
    match graph.node(node).op {
        Op::Cumulative(_) => wide_integer(shape().dtype()).is_some(),
        Op::ArgReduce(_) => wide_number(shape().dtype()).is_some(),
        // The least byte is not the least number, which is the maximum of no elements.
        Op::Reduce(Reduce { reduction, .. }) => {
            let is_extreme = matches!(reduction, Reduction::Max | Reduction::Min);
            let is_defined = !is_extreme || shape().element_count() > 0;
            is_defined && wide_number(shape().dtype()).is_some()
        }
        _ => false,
    }
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let (op, dtype) = (&graph.node(node).op, result(graph, node).dtype());
    Some(match op {
        Op::Cumulative(_) => in_wide(graph, node, operands, (dtype, wide_integer(dtype)?)),
        _ => converted(op.clone(), operands, &[dtype]),
    })
}
