//! Backward passes of checkpoints, which the compiler merges with the forward pass.

use super::{Change, Pass, Platforms, ReplayedReplacement, operands};
use hloom_graph::{DType, Graph, NodeId, Op, Tensor, cond, op::OwnComposite};
use hloom_pjrt::PlatformKind;

/// Computes a checkpoint's backward pass in a branch whose predicate the compiler does not know, so
/// that it is not merged with the same ops of the forward pass, whose values would stay in memory.
///
/// Computations over several devices keep the barrier alone: there, a predicate would have to be
/// sent to all devices.
pub(super) const PASS: Pass = Pass {
    name: "checkpoint",
    defects: &["ops_behind_barriers_are_merged"],
    platforms: Platforms::Only(&[PlatformKind::Cpu]),
    until: None,
    change: Change::Replayed(change),
};

/// Whether an op is recorded by `checkpoint`.
pub(super) fn is_checkpoint(op: &Op) -> bool {
    matches!(op, Op::Composite(op) if op.is(OwnComposite::CHECKPOINT))
}

fn change(graph: &Graph, node: NodeId) -> Option<ReplayedReplacement<'_>> {
    let own = &graph.node(node).op;
    let Op::Composite(op) = own else { return None };
    let mut inside = graph.region(op.body).nodes.iter();
    let is_backward = is_checkpoint(own)
        && inside.any(|&node| matches!(graph.node(node).op, Op::OptimizationBarrier(_)))
        && graph.is_per_device(node);
    if !is_backward {
        return None;
    }
    Some(Box::new(move |replay| {
        let operands = operands(replay, node)?;
        let is_real = |x: &&Tensor| x.dtype().is_float() && x.shape().element_count() > 0;
        let &x = operands.iter().find(is_real)?;
        let first = x.reshape([x.shape().element_count()]).index(0, 0);
        let is_less = first.convert(DType::F32).lt(f32::NEG_INFINITY);
        let shapes: Vec<_> = graph.node_results(node).map(|value| graph.shape(value)).collect();
        let zeros = || shapes.iter().map(|own| Tensor::zeros(own.dtype(), own.axes())).collect();
        Some(cond(is_less, zeros, || {
            replay.region(op.body, &operands, &mut |replay, node| change(graph, node)?(replay))
        }))
    }))
}
