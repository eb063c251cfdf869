//! Parameters of graphs and regions.

use crate::{
    Effect, RegionId,
    body::Recorded,
    definition::{AttributeText, Behavior, Definition, InferContext, Shapes},
    grad::zero_derivative,
    trace::Rule,
    vmap::{Batch, Lane, Lanes, batched_if_any},
};
use std::{borrow::Cow, fmt, hash::Hasher};

/// A parameter of the graph or of a region: its index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Argument(pub u32);

impl Definition for Argument {
    fn name(&self) -> &'static str {
        "parameter"
    }

    fn infer(&self, _: &InferContext<'_>) -> Rule<Shapes> {
        Err("arguments are made with their graph or region".into())
    }

    fn write_attributes(&self, _: &mut AttributeText<'_>) -> fmt::Result {
        Ok(())
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write_u32(self.0);
    }
}

impl Behavior for Argument {
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

impl Batch for Argument {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        lanes.operands(node)
    }

    batched_if_any!();
}

zero_derivative!(Argument);
