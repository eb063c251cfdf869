//! Liveness of nodes where the bodies of composites are inlined: in a body, only the nodes that the
//! used results need are live.

use hloom_graph::{Graph, NodeId, Op, RegionId, ValueId};

/// For each node, whether it is lowered. Operands of a composite that its live nodes do not use are
/// not lowered.
pub(crate) fn live(graph: &Graph) -> Vec<bool> {
    let kept = graph.live();
    let mut found = Found {
        graph,
        live: vec![false; kept.len()],
        seen: vec![false; graph.value_count()],
        open: graph.root().results.clone(),
        composites: Vec::new(),
    };
    if graph.has_effects() {
        let has_effect = |(id, _): &(NodeId, _)| kept[id.index()] && has_effect(graph, *id);
        for (id, _) in graph.nodes().filter(has_effect) {
            found.node(id);
        }
    }
    found.close();
    for &parameter in &graph.root().parameters {
        found.live[graph.value(parameter).node.index()] = true;
    }
    found.live
}

struct Found<'a> {
    graph: &'a Graph,
    live: Vec<bool>,
    seen: Vec<bool>,
    open: Vec<ValueId>,
    composites: Vec<(NodeId, RegionId)>,
}

impl Found<'_> {
    /// Visits all nodes that the pending values need.
    fn close(&mut self) {
        loop {
            while let Some(value) = self.open.pop() {
                if !std::mem::replace(&mut self.seen[value.index()], true) {
                    self.value(value);
                }
            }
            // Several composites can share a body, so that more operands of each may become live
            // later.
            for at in 0..self.composites.len() {
                let (node, body) = self.composites[at];
                let parameters = &self.graph.region(body).parameters;
                for (parameter, &operand) in parameters.iter().zip(self.graph.operands(node)) {
                    if self.seen[parameter.index()] && !self.seen[operand.index()] {
                        self.open.push(operand);
                    }
                }
            }
            if self.open.is_empty() {
                return;
            }
        }
    }

    fn value(&mut self, value: ValueId) {
        let id = self.graph.value(value).node;
        if let Op::Composite(composite) = &self.graph.node(id).op {
            if !std::mem::replace(&mut self.live[id.index()], true) {
                self.composites.push((id, composite.body));
            }
            let index = self.graph.node_results(id).position(|own| own == value);
            let results = &self.graph.region(composite.body).results;
            self.open.extend(index.map(|index| results[index]));
        } else if !self.live[id.index()] {
            self.node(id);
        }
    }

    /// Visits a node that is not a composite.
    fn node(&mut self, id: NodeId) {
        self.live[id.index()] = true;
        self.open.extend(self.graph.operands(id));
        for region in self.graph.node(id).op.regions() {
            let region = self.graph.region(region);
            self.open.extend(region.results.iter().chain(&region.parameters));
        }
    }
}

/// Whether a node, or one in its regions, has an effect.
fn has_effect(graph: &Graph, id: NodeId) -> bool {
    let op = &graph.node(id).op;
    op.has_effect()
        || op
            .regions()
            .any(|region| graph.region(region).nodes.iter().any(|&inner| has_effect(graph, inner)))
}
