//! Reductions of elements below a byte, which plugins do not reduce over devices or together with
//! indices, and whose maximum may be wrong.

use super::{
    Change, Pass, Platforms, Replacement,
    narrow::{converted, in_wide, wide_integer, wide_number},
    result, tensor, tensors,
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
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let op = &graph.node(node).op;
    let operand = || graph.shape(graph.operands(node)[0]);
    match op {
        Op::Cumulative(_) => {
            let dtype = operand().dtype();
            let types = (dtype, wide_integer(dtype)?);
            tensors(move |operands| Some(in_wide(graph, node, operands, types)))
        }
        Op::ReduceWindow(reduce) => {
            let dtype = operand().dtype();
            let wide = wide_number(dtype)?;
            tensor(move |[x]| windows(reduce, x, dtype, wide))
        }
        // Empty tensors are left alone: their maximum is the lowest number of the type, not that of
        // the wider type.
        Op::Reduce(Reduce { reduction: Reduction::Max | Reduction::Min, .. })
            if operand().element_count() == 0 =>
        {
            None
        }
        Op::Reduce(_) | Op::ArgReduce(_) => {
            wide_number(operand().dtype())?;
            let dtype = result(graph, node).dtype();
            tensors(move |operands| Some(converted(op.clone(), operands, &[dtype])))
        }
        _ => None,
    }
}

/// The reductions of windows in a wider type. A window without elements has the identity of that
/// type, which the narrow one may lack.
fn windows(reduce: &ReduceWindow, x: Tensor, dtype: DType, wide: DType) -> Tensor {
    let wide = optimization_barrier(x.convert(wide));
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
    optimization_barrier(y).convert(dtype)
}
