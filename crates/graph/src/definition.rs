//! The definition of an op: one attribute struct with these two traits, and a row in the table of
//! [`crate::op`].

use crate::{
    Effect, Graph, MeshShape, NodeId, RegionId, Shape, grad::Vjp, trace::Rule, vmap::Batch,
};
use smallvec::SmallVec;
use std::{
    borrow::Cow,
    fmt::{self, Write},
    hash::{Hash, Hasher},
};

/// The shapes of an op's results.
pub(crate) type Shapes = SmallVec<[Shape; 1]>;

/// The semantics of an op's attributes.
pub(crate) trait Definition: Behavior + Batch + Vjp {
    /// The name that a graph's text form uses.
    fn name(&self) -> &'static str;

    /// Infers the shapes of the results, or returns why operands, regions and attributes do not
    /// fit. This is the only place with the op's shape rule.
    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes>;

    /// Writes the attributes for the text form of a graph, each preceded by a space.
    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result;

    /// Feeds the attributes into a graph's structure hash, except axis names and region ids:
    /// regions are hashed by content.
    fn hash_attributes(&self, hasher: &mut dyn Hasher);

    /// The number of results for this many operands, used for the poisoned tensors returned after
    /// an error. One by default.
    fn result_count(&self, _: &Graph, _operands: usize) -> usize {
        1
    }
}

/// The treatment of an op by passes: its regions, its effect, and whether it may be merged.
pub(crate) trait Behavior {
    /// The regions that the op owns, each with its label in the text form.
    fn regions(&self) -> Vec<(Cow<'static, str>, RegionId)>;

    /// Replaces the ids of the regions.
    fn map_regions(&mut self, map: &mut dyn FnMut(RegionId) -> RegionId);

    /// The op's side effect, not counting its regions.
    fn effect(&self) -> Effect;

    /// Whether identical nodes may be merged (CSE).
    fn is_mergeable(&self) -> bool;
}

/// Implements `Behavior` for ops without regions and effects; identical nodes are merged.
macro_rules! plain {
    ($($definition:ty),* $(,)?) => { $(
        impl $crate::definition::Behavior for $definition {
            fn regions(&self) -> Vec<(std::borrow::Cow<'static, str>, $crate::RegionId)> {
                Vec::new()
            }
            fn map_regions(&mut self, _: &mut dyn FnMut($crate::RegionId) -> $crate::RegionId) {}
            fn effect(&self) -> $crate::Effect {
                $crate::Effect::Pure
            }
            fn is_mergeable(&self) -> bool {
                true
            }
        }
    )* };
}
pub(crate) use plain;

/// Implements `Behavior` for ops that own regions and have no effects of their own: their fields
/// and labels. They are never merged, since each owns its regions.
macro_rules! owner {
    ($definition:ty { $($region:ident: $label:literal),* }) => {
        impl $crate::definition::Behavior for $definition {
            fn regions(&self) -> Vec<(std::borrow::Cow<'static, str>, $crate::RegionId)> {
                vec![$(($label.into(), self.$region)),*]
            }
            fn map_regions(&mut self, map: &mut dyn FnMut($crate::RegionId) -> $crate::RegionId) {
                $(self.$region = map(self.$region);)*
            }
            fn effect(&self) -> $crate::Effect {
                $crate::Effect::Pure
            }
            fn is_mergeable(&self) -> bool {
                false
            }
        }
    };
}
pub(crate) use owner;

/// The inputs of shape inference.
pub(crate) struct InferContext<'a> {
    /// The shapes of the operands.
    pub operands: &'a [Shape],
    pub(crate) graph: &'a Graph,
    /// The region that contains the op.
    pub(crate) region: RegionId,
}

impl<'a> InferContext<'a> {
    /// The operands, of which there must be `N`.
    pub fn operands<const N: usize>(&self) -> Rule<&'a [Shape; N]> {
        let operands = <&[Shape; N]>::try_from(self.operands);
        operands.map_err(|_| format!("takes {N} operands, not {}", self.operands.len()).into())
    }

    /// The only operand.
    pub fn operand(&self) -> Rule<&'a Shape> {
        self.operands::<1>().map(|[operand]| operand)
    }

    /// The shapes of a region's parameters.
    pub fn region_parameters(&self, region: RegionId) -> Vec<Shape> {
        let parameters = &self.graph.region(region).parameters;
        parameters.iter().map(|&value| self.graph.shape(value)).collect()
    }

    /// The shapes of a region's results.
    pub fn region_results(&self, region: RegionId) -> Vec<Shape> {
        let results = &self.graph.region(region).results;
        results.iter().map(|&value| self.graph.shape(value)).collect()
    }

    /// Returns an error if an op in a region, or in a nested one, has an effect.
    pub fn check_pure(&self, region: RegionId) -> Rule<()> {
        for &node in &self.graph.region(region).nodes {
            let op = &self.graph.node(node).op;
            if op.has_effect() {
                return Err(format!(
                    "`{}` has a side effect, which is not allowed in this body",
                    op.name()
                )
                .into());
            }
            op.regions().try_for_each(|inner| self.check_pure(inner))?;
        }
        Ok(())
    }

    /// The mesh that the program is partitioned over.
    pub fn mesh(&self) -> Rule<MeshShape> {
        self.graph.required_mesh()
    }

    /// Whether the op is in a body that runs per device on local parts.
    pub fn is_manual(&self) -> bool {
        self.graph.manual_around(self.region).is_some()
    }
}

/// The output of `Definition::write_attributes`.
pub(crate) struct AttributeText<'a> {
    pub(crate) out: &'a mut String,
    pub(crate) graph: &'a Graph,
    pub(crate) node: NodeId,
}

impl AttributeText<'_> {
    /// The shapes of the operands.
    pub fn operands(&self) -> Vec<Shape> {
        let operands = self.graph.operands(self.node);
        operands.iter().map(|&value| self.graph.shape(value)).collect()
    }

    /// The shapes of the results.
    pub fn results(&self) -> Vec<Shape> {
        let results = self.graph.node_results(self.node);
        results.map(|value| self.graph.shape(value)).collect()
    }

    /// The mesh that the program is partitioned over.
    pub fn mesh(&self) -> Option<MeshShape> {
        self.graph.mesh()
    }
}

impl Write for AttributeText<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_str(text)
    }
}

/// A single result of this shape.
pub(crate) fn one(shape: Shape) -> Rule<Shapes> {
    Ok(smallvec::smallvec![shape])
}

/// Formats a list for the text form.
pub(crate) fn list<T: fmt::Display>(values: &[T]) -> String {
    let values: Vec<String> = values.iter().map(T::to_string).collect();
    format!("[{}]", values.join(", "))
}

/// Feeds an element type and sizes into a structure hash.
pub(crate) fn hash_shape(hasher: &mut dyn Hasher, shape: &Shape) {
    shape.dtype().hash(&mut &mut *hasher);
    hash_sizes(hasher, shape.sizes());
}

/// Feeds a list of numbers into a structure hash.
pub(crate) fn hash_sizes(hasher: &mut dyn Hasher, sizes: &[usize]) {
    hasher.write_usize(sizes.len());
    for &size in sizes {
        hasher.write_usize(size);
    }
}
