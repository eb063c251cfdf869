//! What the rule of an op is given to add nodes with.

use crate::{Graph, MeshShape, Op, RegionId, Shape, ShapeError, ShardingError, ValueId};
use std::panic::Location;

/// What a shape rule says when operands or attributes do not fit.
pub(crate) struct Mistake(pub String);

pub(crate) type Rule<T> = Result<T, Mistake>;

/// Adds nodes on behalf of one call of an op.
pub(crate) struct Builder<'a> {
    pub(super) graph: &'a mut Graph,
    pub(super) region: RegionId,
    pub(super) location: &'static Location<'static>,
}

impl From<String> for Mistake {
    fn from(message: String) -> Mistake {
        Mistake(message)
    }
}

impl From<&str> for Mistake {
    fn from(message: &str) -> Mistake {
        Mistake(message.into())
    }
}

impl From<ShardingError> for Mistake {
    fn from(error: ShardingError) -> Mistake {
        Mistake(error.to_string())
    }
}

impl From<ShapeError> for Mistake {
    fn from(error: ShapeError) -> Mistake {
        Mistake(error.to_string())
    }
}

impl Builder<'_> {
    /// Adds a node with one result, or finds the one that computes the same.
    pub fn node(&mut self, op: Op, operands: &[ValueId], shape: Shape) -> ValueId {
        let node = self.graph.push(op, operands, &[shape], self.region, self.location);
        self.graph.node_results(node).next().expect("the node has one result")
    }

    /// Adds a node with several results.
    pub fn node_many(&mut self, op: Op, operands: &[ValueId], shapes: &[Shape]) -> Vec<ValueId> {
        let node = self.graph.push(op, operands, shapes, self.region, self.location);
        self.graph.node_results(node).collect()
    }

    /// The results of a node that gives the same, if there is one that can be used here.
    pub fn find_many(&mut self, op: &Op, operands: &[ValueId], shapes: &[Shape]) -> Option<Vec<ValueId>> {
        let node = self.graph.find(op, operands, shapes, self.region)?;
        Some(self.graph.node_results(node).collect())
    }

    /// The shape of a value.
    pub fn shape(&self, value: ValueId) -> Shape {
        self.graph.shape(value)
    }

    /// The mesh that the program is split over.
    pub fn mesh(&self) -> Rule<MeshShape> {
        let mesh = self.graph.mesh;
        mesh.ok_or_else(|| "there is no mesh; compile the function with `Mesh::compile`".into())
    }

    /// Whether ops are added to a body that runs on each device's own parts.
    pub fn is_manual(&self) -> bool {
        self.graph.manual_around(self.region).is_some()
    }

    /// The line of the user's source that the call counts for.
    pub fn location(&self) -> &'static Location<'static> {
        self.location
    }

    /// The arena itself.
    pub fn graph(&mut self) -> &mut Graph {
        self.graph
    }

    /// The node that gives a value.
    pub fn op(&self, value: ValueId) -> &Op {
        &self.graph.node(self.graph.value(value).node).op
    }
}
