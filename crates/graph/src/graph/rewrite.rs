//! Copies a graph with some nodes replaced.

use crate::{
    Graph, Node, NodeId, Op, OperandInfo, Shape, TraceError, ValueId, definition::Shapes,
    ops::Reshape, trace::OpError,
};

/// A partial copy of a graph, up to the current node of the walk.
///
/// ```
/// use hloom_graph::{Binary, Op, Spec, TraceScope, Unary};
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([3]), false);
/// let graph = trace.finish(vec![("y".into(), x + x.abs())])?;
/// // Without absolute values.
/// let graph = graph.rewrite(|rewrite, node| match rewrite.from().node(node).op {
///     Op::Unary(Unary::Abs) => rewrite.value(rewrite.from().operands(node)[0]).map(|x| vec![x]),
///     _ => None,
/// })?;
/// let sum = graph.value(graph.root().results[0]).node;
/// assert_eq!(graph.node(sum).op, Op::Binary(Binary::Add));
/// assert_eq!(graph.operands(sum), [graph.root().parameters[0]; 2]);
/// # Ok::<(), hloom_graph::TraceError>(())
/// ```
pub struct Rewrite<'a> {
    from: &'a Graph,
    to: Graph,
    /// For each value of `from`, its replacement in `to`.
    values: Vec<Option<ValueId>>,
    /// For each value of `from`, the start of its users in `users`; one more entry at the end.
    first_user: Vec<u32>,
    users: Vec<NodeId>,
    /// The current node of the walk.
    at: NodeId,
    /// The first error of an added op.
    error: Option<TraceError>,
}

impl Graph {
    /// The same computation with nodes replaced by the results of `replace`, which is called for
    /// each live node, parameters first and operands before their users; `None` keeps the node.
    ///
    /// Dead nodes are dropped. Locations stay, and ops added by `replace` get the location of the
    /// node that they replace.
    ///
    /// # Errors
    /// A replacement whose number of values, sizes or element types differ from the node's results,
    /// or that contains an op with invalid operands.
    pub fn rewrite(
        &self,
        mut replace: impl FnMut(&mut Rewrite<'_>, NodeId) -> Option<Vec<ValueId>>,
    ) -> Result<Graph, TraceError> {
        let live = self.live();
        let mut rewrite = Rewrite::new(self, &live);
        for (id, node) in self.nodes().filter(|(id, _)| live[id.index()]) {
            if matches!(node.op, Op::Parameter(_)) {
                rewrite.copy(id, node);
            }
        }
        for (id, node) in self.nodes().filter(|(id, _)| live[id.index()]) {
            if matches!(node.op, Op::Parameter(_)) {
                continue;
            }
            rewrite.at = id;
            let replacement = replace(&mut rewrite, id);
            if let Some(error) = rewrite.error.take() {
                return Err(error);
            }
            match replacement {
                Some(values) => rewrite.stand_in(id, node, &values)?,
                None => rewrite.copy(id, node),
            }
        }
        Ok(rewrite.finish())
    }
}

impl<'a> Rewrite<'a> {
    fn new(from: &'a Graph, live: &[bool]) -> Rewrite<'a> {
        let mut to = Graph::new(from.name.clone());
        to.mesh = from.mesh;
        to.parameters = from.parameters.clone();
        to.results = from.results.clone();
        to.host_calls = from.host_calls.clone();
        // The same regions under the same ids, but empty.
        to.regions = from.regions.clone();
        for region in &mut to.regions {
            region.parameters.clear();
            region.nodes.clear();
            region.results.clear();
        }
        let mut first_user = vec![0u32; from.value_count() + 1];
        let needed = || from.nodes().map(|(id, _)| id).filter(|id| live[id.index()]);
        for operand in needed().flat_map(|id| from.operands(id)) {
            first_user[operand.index() + 1] += 1;
        }
        for value in 0..from.value_count() {
            first_user[value + 1] += first_user[value];
        }
        let mut next = first_user.clone();
        let mut users = vec![NodeId(0); from.operands.len()];
        for id in needed() {
            for operand in from.operands(id) {
                let place = &mut next[operand.index()];
                users[*place as usize] = id;
                *place += 1;
            }
        }
        Rewrite {
            from,
            to,
            values: vec![None; from.value_count()],
            first_user,
            users,
            at: NodeId(0),
            error: None,
        }
    }

    /// The graph that is rewritten.
    pub fn from(&self) -> &'a Graph {
        self.from
    }

    /// The live nodes of the old graph that use a value, in order; a node that uses it twice is
    /// listed twice.
    pub fn users(&self, value: ValueId) -> &[NodeId] {
        let (start, end) = (self.first_user[value.index()], self.first_user[value.index() + 1]);
        &self.users[start as usize..end as usize]
    }

    /// The replacement of a value of the old graph in the new one; `None` if the walk has not
    /// reached it. Parameters and the operands of the current node always have one.
    pub fn value(&self, value: ValueId) -> Option<ValueId> {
        self.values[value.index()]
    }

    /// The shape of a value of the new graph.
    pub fn shape(&self, value: ValueId) -> Shape {
        self.to.shape(value)
    }

    /// Adds an op to the new graph, or finds an identical node, and returns its results. Returns
    /// `None` if the operands are invalid; the rewrite then ends with that error.
    pub fn add(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Option<Vec<ValueId>> {
        self.add_op(op.into(), operands)
    }

    fn add_op(&mut self, op: Op, operands: &[ValueId]) -> Option<Vec<ValueId>> {
        let Node { location, region, .. } = *self.from.node(self.at);
        let shapes = self.to.shapes(operands);
        let name = op.name();
        match self.to.add(op, &shapes, operands, region, location) {
            Ok(node) => Some(self.to.node_results(node).collect()),
            Err(OpError(message)) => {
                let labelled = shapes.iter().enumerate().map(|(position, &shape)| OperandInfo {
                    label: format!("operand {position}"),
                    shape,
                    name: None,
                });
                let operands = labelled.collect();
                let error = TraceError { operands, ..TraceError::new(name, message, location) };
                self.error.get_or_insert(error);
                None
            }
        }
    }

    /// Copies a node.
    fn copy(&mut self, id: NodeId, node: &Node) {
        let results = self.from.node_results(id);
        if let Op::Parameter(_) = node.op {
            for result in results {
                let value = self.to.parameter(node.region, self.from.shape(result), node.location);
                self.values[result.index()] = Some(value);
            }
            return;
        }
        let there =
            |&value: &ValueId| self.value(value).expect("BUG: an operand comes after its user");
        let operands: Vec<ValueId> = self.from.operands(id).iter().map(there).collect();
        let shapes = self.from.node_results(id).map(|value| self.from.shape(value)).collect();
        let copy =
            self.to
                .add_of(node.op.clone(), &operands, node.region, node.location, |_, _| Ok(shapes));
        let copy = copy.unwrap_or_else(|_| unreachable!("the shapes are given"));
        for (old, new) in results.zip(self.to.node_results(copy)) {
            self.values[old.index()] = Some(new);
        }
    }

    /// Sets the replacements of a node's results.
    fn stand_in(&mut self, id: NodeId, node: &Node, values: &[ValueId]) -> Result<(), TraceError> {
        let results = self.from.node_results(id);
        let error = |message: String| TraceError::new(node.op.name(), message, node.location);
        if values.len() != results.len() {
            let message =
                format!("{} results were replaced by {} values", results.len(), values.len());
            return Err(error(message));
        }
        for (old, &new) in results.zip(values) {
            let (expected, found) = (self.from.shape(old), self.to.shape(new));
            if !found.fits(&expected) {
                let hint = found.order_hint(&expected);
                return Err(error(format!("a result, {expected}, was replaced by {found}{hint}")));
            }
            let new = if expected.axes() == found.axes() {
                new
            } else {
                // Later ops may refer to axes by name.
                self.renamed(new, expected, node)
            };
            self.values[old.index()] = Some(new);
        }
        Ok(())
    }

    /// Renames the axes of a value to those of a shape of the same sizes.
    fn renamed(&mut self, value: ValueId, shape: Shape, node: &Node) -> ValueId {
        let reshape = Reshape { dims: shape.axes() }.into();
        let shapes = |_: &Op, _: &Graph| Ok(Shapes::from_iter([shape]));
        let renamed = self.to.add_of(reshape, &[value], node.region, node.location, shapes);
        let renamed = renamed.unwrap_or_else(|_| unreachable!("the shapes are given"));
        self.to.node_results(renamed).next().expect("a reshape has one result")
    }

    fn finish(mut self) -> Graph {
        for (old, new) in self.from.regions.iter().zip(&mut self.to.regions) {
            // A dead region was not walked.
            let results: Option<Vec<ValueId>> =
                old.results.iter().map(|value| self.values[value.index()]).collect();
            new.results = results.unwrap_or_default();
        }
        self.to
    }
}

impl std::fmt::Debug for Rewrite<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = self.from.node(self.at);
        write!(f, "Rewrite({} at {} of {})", self.from.name, at.op.name(), at.location)
    }
}
