//! What an op is made of: one attribute struct with these two traits, and a line in the table of [`crate::op`].

use crate::{Effect, Graph, MeshShape, NodeId, RegionId, Shape, trace::Rule};
use smallvec::SmallVec;
use std::{
    borrow::Cow,
    fmt::{self, Write},
    hash::Hasher,
};

/// The shapes of an op's results.
pub(crate) type Shapes = SmallVec<[Shape; 1]>;

/// The meaning of an op's attributes.
pub(crate) trait Definition: Behavior {
    /// The name that a graph's text form uses.
    fn name(&self) -> &'static str;

    /// The shapes of the results, or why operands, regions and attributes do not fit: the only place that knows the op's shape
    /// rule.
    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes>;

    /// Writes the attributes for the text form of a graph, each behind a space.
    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result;

    /// Feeds the attributes into a graph's structure hash: not the names of axes, nor the ids of regions, which are hashed by
    /// content.
    fn hash_attributes(&self, hasher: &mut dyn Hasher);

    /// How many results the op has on that many operands, for the poisoned tensors that are returned after an error: one, unless
    /// the op says otherwise.
    fn result_count(&self, _: &Graph, _operands: usize) -> usize {
        1
    }
}

/// How an op stands in a graph: its regions, and whether it may be merged or left out.
pub(crate) trait Behavior {
    /// The regions that the op owns, each with its label in the text form.
    fn regions(&self) -> Vec<(Cow<'static, str>, RegionId)>;

    /// Exchanges the ids of the regions.
    fn map_regions(&mut self, map: &mut dyn FnMut(RegionId) -> RegionId);

    /// What the op does besides computing its results, apart from what its regions do.
    fn effect(&self) -> Effect;

    /// Whether two nodes with equal attributes and operands are merged.
    fn is_mergeable(&self) -> bool;
}

/// Ops without regions and effects, of which equal ones are merged.
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

/// Ops without effects of their own that own regions: their fields and labels. Each has regions of its own, so none are merged.
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

/// What an op is applied to.
pub(crate) struct InferContext<'a> {
    /// The shapes of the operands.
    pub operands: &'a [Shape],
    pub(crate) graph: &'a Graph,
    /// The region that the op stands in.
    pub(crate) region: RegionId,
}

impl<'a> InferContext<'a> {
    /// The operands, which are that many.
    pub fn operands<const N: usize>(&self) -> Rule<&'a [Shape; N]> {
        let operands = <&[Shape; N]>::try_from(self.operands);
        operands.map_err(|_| format!("takes {N} operands, not {}", self.operands.len()).into())
    }

    /// The only operand.
    pub fn operand(&self) -> Rule<&'a Shape> {
        self.operands::<1>().map(|[operand]| operand)
    }

    /// The shapes that a region takes.
    pub fn region_parameters(&self, region: RegionId) -> Vec<Shape> {
        let parameters = &self.graph.region(region).parameters;
        parameters.iter().map(|&value| self.graph.shape(value)).collect()
    }

    /// The shapes that a region returns.
    pub fn region_results(&self, region: RegionId) -> Vec<Shape> {
        let results = &self.graph.region(region).results;
        results.iter().map(|&value| self.graph.shape(value)).collect()
    }

    /// An error where something in a region, or in one inside of it, has an effect.
    pub fn check_pure(&self, region: RegionId) -> Rule<()> {
        for &node in &self.graph.region(region).nodes {
            let op = &self.graph.node(node).op;
            if op.has_effect() {
                return Err(format!("`{}` has an effect, which has no place in this body", op.name()).into());
            }
            op.regions().try_for_each(|inner| self.check_pure(inner))?;
        }
        Ok(())
    }

    /// The mesh that the program is split over.
    pub fn mesh(&self) -> Rule<MeshShape> {
        self.graph.required_mesh()
    }

    /// Whether the op stands in a body that runs on each device's own parts.
    pub fn is_manual(&self) -> bool {
        self.graph.manual_around(self.region).is_some()
    }
}

/// Where the attributes of a node are written to.
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

    /// The mesh that the program is split over.
    pub fn mesh(&self) -> Option<MeshShape> {
        self.graph.mesh()
    }
}

impl Write for AttributeText<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_str(text)
    }
}

/// One result of a shape.
pub(crate) fn one(shape: Shape) -> Rule<Shapes> {
    Ok(smallvec::smallvec![shape])
}

/// A list in the text form.
pub(crate) fn list<T: fmt::Display>(values: &[T]) -> String {
    let values: Vec<String> = values.iter().map(T::to_string).collect();
    format!("[{}]", values.join(", "))
}

/// Feeds an element type and sizes into a structure hash.
pub(crate) fn hash_shape(hasher: &mut dyn Hasher, shape: &Shape) {
    hasher.write_u8(shape.dtype() as u8);
    hash_sizes(hasher, shape.sizes());
}

/// Feeds a list of numbers into a structure hash.
pub(crate) fn hash_sizes(hasher: &mut dyn Hasher, sizes: &[usize]) {
    hasher.write_usize(sizes.len());
    for &size in sizes {
        hasher.write_usize(size);
    }
}
