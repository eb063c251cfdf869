//! Reductions of elements below a byte, which plugins do not reduce over devices or together with
//! indices, and whose maximum may be wrong.

use super::{
    Change, Pass, Platforms,
    narrow::{converted, in_wide, wide_integer, wide_number},
    result,
};
use hloom_graph::{
    DType, Graph, NodeId, Op, Reduction, Tensor,
    op::{Reduce, ReduceWindow},
    optimization_barrier, record,
};

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
        // Empty tensors are left alone: their maximum is the lowest number of the type, not that of
        // the wider type.
        Op::Reduce(Reduce { reduction, .. }) => {
            let is_extreme = matches!(reduction, Reduction::Max | Reduction::Min);
            let is_defined = !is_extreme || shape().element_count() > 0;
            is_defined && wide_number(shape().dtype()).is_some()
        }
        Op::ReduceWindow(_) => wide_number(shape().dtype()).is_some(),
        _ => false,
    }
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let (op, dtype) = (&graph.node(node).op, result(graph, node).dtype());
    Some(match op {
        Op::ReduceWindow(reduce) => vec![windows(reduce, operands[0], dtype)?],
        Op::Cumulative(_) => in_wide(graph, node, operands, (dtype, wide_integer(dtype)?)),
        _ => converted(op.clone(), operands, &[dtype]),
    })
}

/// The reductions of windows in a wider type. A window without elements has the identity of that
/// type, which the narrow one may lack.
fn windows(reduce: &ReduceWindow, x: Tensor, dtype: DType) -> Option<Tensor> {
    let wide = optimization_barrier(x.convert(wide_number(dtype)?));
    let y = record(reduce.clone(), &[wide])[0];
    let [lowest, highest] = match dtype {
        DType::F4E2M1FN => [-6, 6],
        dtype if dtype.is_signed_int() => [-1 << (dtype.bits() - 1), (1 << (dtype.bits() - 1)) - 1],
        dtype => [0, (1 << dtype.bits()) - 1],
    };
    let y = match reduce.reduction {
        Reduction::Max => y.maximum(lowest),
        Reduction::Min => y.minimum(highest),
        Reduction::Sum | Reduction::Prod | Reduction::Any | Reduction::All => y,
    };
    Some(optimization_barrier(y).convert(dtype))
}
