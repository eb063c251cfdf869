//! Sums of `f32` over several axes, which the plugin adds up in order.

use super::{Change, Pass, Platforms, Replacement, tensor};
use hloom_graph::{DType, Graph, NodeId, Op, PerAxis, Reduction, Tensor, op::Reduce, record};
use hloom_pjrt::PlatformKind;

/// Sums over one axis, and then over the other axes in `f64`, where few elements are left.
///
/// The plugin splits only axes of more than 32 elements, so the statistics and gradients of a batch
/// norm keep the rounding errors of thousands of sequential additions.
pub(super) const PASS: Pass = Pass {
    name: "long_sums",
    defects: &["sums_over_several_axes_are_in_order"],
    platforms: Platforms::Only(&[PlatformKind::Cpu]),
    until: Some(115),
    change: Change::Tensors(change),
};

/// The minimum number of elements for which the order matters.
const MIN_LENGTH: usize = 128;

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Reduce(Reduce { reduction: Reduction::Sum, axes }) = &graph.node(node).op else {
        return None;
    };
    let operand = graph.shape(graph.operands(node)[0]);
    let size = |axis: usize| operand.sizes()[axis];
    let is_long = axes.iter().filter(|&&axis| size(axis) > 1).count() > 1
        && axes.iter().map(|&axis| size(axis)).product::<usize>() >= MIN_LENGTH;
    if operand.dtype() != DType::F32 || !is_long {
        return None;
    }
    // The last axis, whose elements are adjacent in memory, or nearly.
    let first = axes.iter().copied().rfind(|&axis| size(axis) > 1)?;
    tensor(move |[x]| {
        let sum = |x: Tensor, axes: PerAxis<usize>| {
            record(Reduce { reduction: Reduction::Sum, axes }, &[x])[0]
        };
        let rest = axes.iter().filter(|&&axis| axis != first);
        // The axes after the one that was summed have moved by one.
        let rest = PerAxis::collect(rest.map(|&axis| axis - usize::from(axis > first)));
        let sums = sum(x, PerAxis::collect([first])).convert(DType::F64);
        sum(sums, rest).convert(DType::F32)
    })
}
