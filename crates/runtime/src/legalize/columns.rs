//! Dot products of rows with weights, in the form that the CPU plugin runs fast.

use super::{Change, Pass, Platforms, ValueReplacement};
use hloom_graph::{
    DType, DotDims, Graph, NodeId, Op, PerAxis, Rewrite, ValueId,
    op::{OptimizationBarrier, Transpose},
};
use hloom_pjrt::PlatformKind;
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
    platforms: Platforms::Only(&[PlatformKind::Cpu]),
    until: None,
    change: Change::Values(few_rows),
};

/// As [`FEW_ROWS`], for more rows: later plugins multiply them faster as they are, and the
/// transposed result slows down the ops that read it. Where there are many times more rows than
/// columns of the result, the copy does not matter.
pub(super) const MANY_ROWS: Pass = Pass {
    name: "columns of many",
    until: Some(106),
    change: Change::Values(many_rows),
    defects: &["many_rows_are_slow"],
    ..FEW_ROWS
};

/// The minimum number of elements of a weight for which the rewrite is faster.
const MIN_ELEMENTS: usize = 64 * 64;

/// The maximum number of rows that every plugin multiplies faster as columns.
const MAX_FEW_ROWS: usize = 64;

fn few_rows(graph: &Graph, node: NodeId) -> Option<ValueReplacement<'_>> {
    columns(graph, node, |rows, n| (2..=MAX_FEW_ROWS.min(2 * n)).contains(&rows))
}

fn many_rows(graph: &Graph, node: NodeId) -> Option<ValueReplacement<'_>> {
    columns(graph, node, |rows, n| rows > MAX_FEW_ROWS && rows <= 2 * n)
}

/// The product with columns, if a condition of the number of rows and of the number of columns of
/// the result is met.
fn columns(
    graph: &Graph,
    node: NodeId,
    is_faster: fn(usize, usize) -> bool,
) -> Option<ValueReplacement<'_>> {
    let (Op::Dot(dims), &[x, weight]) = (&graph.node(node).op, graph.operands(node)) else {
        return None;
    };
    let (rows, weights) = (graph.shape(x), graph.shape(weight));
    let is_f32 = [rows.dtype(), weights.dtype()] == [DType::F32; 2];
    let is_weight =
        weights.rank() == 2 && *dims.right_contracting == [1] && dims.right_batch.is_empty();
    if !is_f32 || !is_weight || weights.element_count() < MIN_ELEMENTS {
        return None;
    }
    let (n, k) = (weights.sizes()[0], weights.sizes()[1]);
    if !is_faster(rows.element_count() / k, n) {
        return None;
    }
    Some(Box::new(move |rewrite| {
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
    }))
}

fn barrier(rewrite: &mut Rewrite<'_>, x: ValueId) -> Option<ValueId> {
    rewrite.add(OptimizationBarrier, &[x])?.first().copied()
}
