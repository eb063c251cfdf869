//! The builder with which an op's rule adds nodes.

use crate::{
    Graph, MeshShape, Op, RegionId, ResolvedSharding, Shape, ShapeError, ShardingError, ValueId,
};
use std::panic::Location;

/// The reason why operands or attributes are invalid.
pub(crate) struct OpError(pub String);

pub(crate) type Rule<T> = Result<T, OpError>;

/// Adds nodes for one call of an op.
pub(crate) struct Builder<'a> {
    pub(super) graph: &'a mut Graph,
    pub(super) region: RegionId,
    pub(super) location: &'static Location<'static>,
}

impl From<String> for OpError {
    fn from(message: String) -> OpError {
        OpError(message)
    }
}

impl From<&str> for OpError {
    fn from(message: &str) -> OpError {
        OpError(message.into())
    }
}

impl From<ShardingError> for OpError {
    fn from(error: ShardingError) -> OpError {
        OpError(error.to_string())
    }
}

impl From<ShapeError> for OpError {
    fn from(error: ShapeError) -> OpError {
        OpError(error.to_string())
    }
}

impl Builder<'_> {
    /// Adds an op with one result, or finds an identical node.
    pub fn add(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Rule<ValueId> {
        self.add_op(op.into(), operands)
    }

    fn add_op(&mut self, op: Op, operands: &[ValueId]) -> Rule<ValueId> {
        let shapes = self.graph.shapes(operands);
        self.add_to(op, &shapes, operands)
    }

    /// As [`add`](Self::add), with the operands' shapes already known.
    pub fn add_to(&mut self, op: Op, shapes: &[Shape], operands: &[ValueId]) -> Rule<ValueId> {
        let node = self.graph.add(op, shapes, operands, self.region, self.location)?;
        Ok(self.graph.node_results(node).next().expect("the op has one result"))
    }

    /// Adds an op with several results.
    pub fn add_many(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Rule<Vec<ValueId>> {
        self.add_many_op(op.into(), operands)
    }

    fn add_many_op(&mut self, op: Op, operands: &[ValueId]) -> Rule<Vec<ValueId>> {
        let shapes = self.graph.shapes(operands);
        let node = self.graph.add(op, &shapes, operands, self.region, self.location)?;
        Ok(self.graph.node_results(node).collect())
    }

    /// The results of an identical node, if there is one that is visible here.
    pub fn find_many(&mut self, op: &Op, operands: &[ValueId]) -> Option<Vec<ValueId>> {
        let node = self.graph.find(op, operands, self.region)?;
        Some(self.graph.node_results(node).collect())
    }

    /// The shapes that a region returns.
    pub fn region_results(&self, region: RegionId) -> Vec<Shape> {
        self.graph.shapes(&self.graph.region(region).results).into_vec()
    }

    /// The shape of a value.
    pub fn shape(&self, value: ValueId) -> Shape {
        self.graph.shape(value)
    }

    /// The mesh that the program is partitioned over, or an error.
    pub fn mesh(&self) -> Rule<MeshShape> {
        self.graph.required_mesh()
    }

    /// The mesh that the program is partitioned over, if any.
    pub fn mesh_shape(&self) -> Option<MeshShape> {
        self.graph.mesh
    }

    /// The region that ops are added to.
    pub fn region(&self) -> RegionId {
        self.region
    }

    /// Whether ops are added to a manual body, which runs per device on local parts.
    pub fn is_manual(&self) -> bool {
        self.graph.manual_around(self.region).is_some()
    }

    /// The sharding of a value that is an argument of the function; `None` in other regions than
    /// the function's own, where its values may be parts.
    pub fn argument_sharding(&self, value: ValueId) -> Option<ResolvedSharding> {
        if self.region != Graph::ROOT {
            return None;
        }
        let position = self.graph.root().parameters.iter().position(|&known| known == value)?;
        self.graph.parameters().get(position)?.sharding
    }

    /// The user source line of the call.
    pub fn location(&self) -> &'static Location<'static> {
        self.location
    }

    /// The graph.
    pub fn graph(&mut self) -> &mut Graph {
        self.graph
    }

    /// The op that defines a value.
    pub fn op(&self, value: ValueId) -> &Op {
        &self.graph.node(self.graph.value(value).node).op
    }
}
