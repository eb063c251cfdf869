//! Optimization barriers.

use super::control::{TensorTree, handles, leaves, rebuild};
use crate::{
    Effect, Graph, RegionId, Tensor,
    body::Recorded,
    definition::{AttributeText, Behavior, Definition, InferContext, Shapes},
    grad::{Pull, Vjp, keeps_operands},
    record,
    trace::{Rule, emit},
    vmap::{Batch, Lane, Lanes, batched_if_any},
};
use std::{borrow::Cow, fmt, hash::Hasher, panic::Location};

/// Returns its operands; the compiler does not move work across it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OptimizationBarrier;

impl Definition for OptimizationBarrier {
    fn name(&self) -> &'static str {
        "optimization_barrier"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        Ok(context.operands.into())
    }

    fn write_attributes(&self, _: &mut AttributeText<'_>) -> fmt::Result {
        Ok(())
    }

    fn hash_attributes(&self, _: &mut dyn Hasher) {}

    fn result_count(&self, _: &Graph, operands: usize) -> usize {
        operands
    }
}

impl Behavior for OptimizationBarrier {
    fn regions(&self) -> Vec<(Cow<'static, str>, RegionId)> {
        Vec::new()
    }

    fn map_regions(&mut self, _: &mut dyn FnMut(RegionId) -> RegionId) {}

    fn effect(&self) -> Effect {
        Effect::Pure
    }

    fn is_mergeable(&self) -> bool {
        false
    }
}

impl Batch for OptimizationBarrier {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let operands = lanes.operands(node);
        let barred = lanes.as_they_are(node, *self);
        operands.iter().zip(barred).map(|(old, new)| Lane { tensor: new.tensor, ..*old }).collect()
    }

    batched_if_any!();
}

impl Vjp for OptimizationBarrier {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let present: Vec<usize> =
            (0..pull.step.results.len()).filter(|&i| pull.given(i).is_some()).collect();
        let given: Vec<Tensor> = present.iter().map(|&i| pull.cotangent(i)).collect();
        let barred = record(*self, &given);
        let place = |i: usize| present.iter().position(|&own| own == i);
        (0..pull.step.results.len()).map(|i| place(i).map(|at| barred[at])).collect()
    }
}

/// Returns a tree of tensors; the compiler does not move work across it.
#[track_caller]
pub fn optimization_barrier<T: TensorTree>(tree: T) -> T {
    let operands = leaves(&tree);
    let values = emit("optimization_barrier", &operands, Location::caller(), |builder, _, v| {
        builder.add_many(OptimizationBarrier, v)
    });
    rebuild(&tree, &handles(values, operands.len()))
}
