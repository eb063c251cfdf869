//! Sums of `f32` over several axes, which the plugin adds up in order.

use super::{Change, Pass, Platforms};
use hloom_graph::{DType, Graph, NodeId, Op, PerAxis, Reduction, Tensor, op::Reduce, record};

/// Sums over one axis, and then over the other axes in `f64`, where few elements are left.
///
/// The plugin splits only axes of more than 32 elements, so the statistics and gradients of a batch
/// norm keep the rounding errors of thousands of sequential additions.
pub(super) const PASS: Pass = Pass {
    name: "long_sums",
    defects: &["sums_over_several_axes_are_in_order"],
    platforms: Platforms::Only(&["cpu"]),
    until: Some(115),
    matches,
    change: Change::Tensors(change),
};

/// The minimum number of elements for which the order matters.
const MIN_LENGTH: usize = 128;

fn matches(graph: &Graph, node: NodeId) -> bool {
    let Op::Reduce(Reduce { reduction: Reduction::Sum, axes }) = &graph.node(node).op else {
        return false;
    };
    let operand = graph.shape(graph.operands(node)[0]);
    let sizes = || axes.iter().map(|&axis| operand.sizes()[axis]);
    operand.dtype() == DType::F32
        && sizes().filter(|&size| size > 1).count() > 1
        && sizes().product::<usize>() >= MIN_LENGTH
}

fn change(graph: &Graph, node: NodeId, operands: &[Tensor]) -> Option<Vec<Tensor>> {
    let (Op::Reduce(Reduce { axes, .. }), &[x]) = (&graph.node(node).op, operands) else {
        return None;
    };
    let sum = |x: Tensor, axes: PerAxis<usize>| {
        record(Reduce { reduction: Reduction::Sum, axes }, &[x])[0]
    };
    // The last axis, whose elements are adjacent in memory, or nearly.
    let first = axes.iter().copied().rfind(|&axis| x.size(axis) > 1)?;
    let rest = axes.iter().filter(|&&axis| axis != first);
    // The axes after the one that was summed have moved by one.
    let rest = PerAxis::collect(rest.map(|&axis| axis - usize::from(axis > first)));
    let sums = sum(x, PerAxis::collect([first])).convert(DType::F64);
    Some(vec![sum(sums, rest).convert(DType::F32)])
}
