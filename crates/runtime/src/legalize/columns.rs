//! Dot products of rows with weights, in the form that the CPU plugin runs fast.

use super::{Change, Pass, Platforms};
use hloom_graph::{
    DType, DotDims, Graph, NodeId, Op, PerAxis, Rewrite, ValueId,
    op::{OptimizationBarrier, Transpose},
};
use std::iter::once;

/// Rewrites dot products of `f32` rows, `[.., k]` by `[n, k]`, to products of the weight with
/// columns, `[n, k]` by `[k, ..]`.
///
/// The plugin copies a weight on the right, with its contracted axis last, at every call, and
/// multiplies it up to 20 times more slowly than one on the left, which it reads in place. It
/// multiplies one row well in both forms.
pub(super) const FEW_ROWS: Pass = Pass {
    name: "columns",
    defects: &["few_rows_are_slow"],
    platforms: Platforms::Only(&["cpu"]),
    until: None,
    matches: has_few_rows,
    change: Change::Values(columns),
};

/// As [`FEW_ROWS`], for more rows: later plugins multiply them faster as they are, and the
/// transposed result slows down the ops that read it. Where there are many times more rows than
/// columns of the result, the copy does not matter.
pub(super) const MANY_ROWS: Pass = Pass {
    name: "columns of many",
    until: Some(106),
    matches: has_many_rows,
    defects: &["many_rows_are_slow"],
    ..FEW_ROWS
};

/// The minimum number of elements of a weight for which the rewrite is faster.
const MIN_ELEMENTS: usize = 64 * 64;

/// The maximum number of rows that every plugin multiplies faster as columns.
const MAX_FEW_ROWS: usize = 64;

fn has_few_rows(graph: &Graph, node: NodeId) -> bool {
    sizes(graph, node).is_some_and(|(rows, n)| (2..=MAX_FEW_ROWS.min(2 * n)).contains(&rows))
}

fn has_many_rows(graph: &Graph, node: NodeId) -> bool {
    sizes(graph, node).is_some_and(|(rows, n)| rows > MAX_FEW_ROWS && rows <= 2 * n)
}

/// The rows of a product with a weight, and the columns of its result.
fn sizes(graph: &Graph, node: NodeId) -> Option<(usize, usize)> {
    let (Op::Dot(dims), &[x, weight]) = (&graph.node(node).op, graph.operands(node)) else {
        return None;
    };
    let (x, weight) = (graph.shape(x), graph.shape(weight));
    let is_f32 = [x.dtype(), weight.dtype()] == [DType::F32; 2];
    let is_weight =
        weight.rank() == 2 && *dims.right_contracting == [1] && dims.right_batch.is_empty();
    if !is_f32 || !is_weight || weight.element_count() < MIN_ELEMENTS {
        return None;
    }
    let (n, k) = (weight.sizes()[0], weight.sizes()[1]);
    Some((x.element_count() / k, n))
}

fn columns(rewrite: &mut Rewrite<'_>, node: NodeId) -> Option<Vec<ValueId>> {
    let graph = rewrite.from();
    let (Op::Dot(dims), &[x, weight]) = (&graph.node(node).op, graph.operands(node)) else {
        return None;
    };
    let (x, weight) = (rewrite.value(x)?, rewrite.value(weight)?);
    let (shape, contracted) = (rewrite.shape(x), dims.left_contracting[0]);
    let rank = shape.rank();
    let order = once(contracted).chain((0..rank).filter(|&axis| axis != contracted));
    let order = PerAxis::from_slice(&order.collect::<Vec<_>>())?;
    let columns = *rewrite.add(Transpose { order }, &[x])?.first()?;
    // Without barriers the compiler swaps the operands back.
    let columns = barrier(rewrite, columns)?;
    let dims = DotDims {
        left_contracting: PerAxis::from_slice(&[1])?,
        right_contracting: PerAxis::from_slice(&[0])?,
        ..**dims
    };
    let product = *rewrite.add(dims, &[weight, columns])?.first()?;
    let product = barrier(rewrite, product)?;
    let order = PerAxis::from_slice(&(1..rank).chain(once(0)).collect::<Vec<_>>())?;
    rewrite.add(Transpose { order }, &[product])
}

fn barrier(rewrite: &mut Rewrite<'_>, x: ValueId) -> Option<ValueId> {
    rewrite.add(OptimizationBarrier, &[x])?.first().copied()
}
