//! Nodes with lowered operands, as the lowering functions of ops take them.

use crate::emit::Value;
use hloom_graph::{Graph, NodeId, Shape};
use smallvec::SmallVec;

/// A node with its operands lowered.
pub(crate) struct Applied<'a> {
    pub operands: SmallVec<[Value; 4]>,
    graph: &'a Graph,
    node: NodeId,
}

impl<'a> Applied<'a> {
    pub fn new(graph: &'a Graph, node: NodeId, operands: SmallVec<[Value; 4]>) -> Applied<'a> {
        Applied { operands, graph, node }
    }

    /// The shape of an operand.
    pub fn operand(&self, index: usize) -> Shape {
        self.graph.shape(self.graph.operands(self.node)[index])
    }

    /// The shape of the only result.
    pub fn result(&self) -> Shape {
        let value = self.graph.node_results(self.node).next();
        self.graph.shape(value.expect("every node has a result"))
    }

    /// The shapes of all results.
    pub fn results(&self) -> impl Iterator<Item = Shape> + use<'a> {
        let graph = self.graph;
        graph.node_results(self.node).map(|value| graph.shape(value))
    }
}
