//! Dot products that contract several axes, as products that contract one.

use super::{Change, Pass, Platforms, Replacement, result, tensors};
use hloom_graph::{DotDims, Graph, NodeId, Op, PerAxis, Tensor, record};
use hloom_pjrt::PlatformKind;

/// Merges contracted axes that follow each other, unless they are the last of the left operand.
///
/// The gradient of a weight is such a product: it contracts the rows of both operands, of all
/// sequences. The plugin turns the left operand around first, and reads its several axes of rows
/// one number of a cache line at a time.
pub(super) const PASS: Pass = Pass {
    name: "flat_dot",
    defects: &["contractions_of_several_axes_are_slow"],
    platforms: Platforms::Only(&[PlatformKind::Cpu]),
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Dot(dims) = &graph.node(node).op else { return None };
    let follow = |axes: &[usize]| axes.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    let [left_run, right_run] = [&dims.left_contracting, &dims.right_contracting];
    let rank = graph.shape(graph.operands(node)[0]).rank();
    let can_merge = left_run.len() > 1
        && follow(left_run)
        && follow(right_run)
        && left_run.last().is_some_and(|last| last + 1 < rank)
        && graph.is_per_device(node);
    if !can_merge {
        return None;
    }
    let merged_dims = DotDims {
        left_contracting: PerAxis::collect(left_run.first().copied()),
        right_contracting: PerAxis::collect(right_run.first().copied()),
        left_batch: after(&dims.left_batch, left_run),
        right_batch: after(&dims.right_batch, right_run),
        ..**dims
    };
    tensors(move |operands| {
        let &[left, right] = operands else { return None };
        let operands = [merged(left, left_run)?, merged(right, right_run)?];
        let product = *record(merged_dims, &operands).first()?;
        Some(vec![product.reshape(result(graph, node).axes())])
    })
}

/// The tensor with axes that follow each other as one.
fn merged(tensor: Tensor, run: &[usize]) -> Option<Tensor> {
    let mut sizes = tensor.shape().sizes().to_vec();
    let &first = run.first()?;
    let size = sizes.drain(first..first + run.len()).product();
    sizes.insert(first, size);
    Some(tensor.reshape(sizes))
}

/// The places of axes where the axes of a run are one.
fn after(axes: &[usize], run: &[usize]) -> PerAxis<usize> {
    let is_behind = |axis: usize| run.first().is_some_and(|&first| axis > first);
    PerAxis::collect(
        axes.iter().map(|&axis| if is_behind(axis) { axis + 1 - run.len() } else { axis }),
    )
}
