//! Copies of traced regions, from which the graph that contains them is extended.

use crate::{Graph, NodeId, Op, RegionId, RegionKind, Shape, ValueId, trace::current_graph};
use std::{
    collections::{HashMap, HashSet},
    panic::Location,
    rc::Rc,
};

/// A region and those of its nodes.
pub(crate) struct Body {
    pub kind: RegionKind,
    pub parameters: Vec<ValueId>,
    /// The shapes of the parameters.
    pub shapes: Vec<Shape>,
    /// The nodes that the results need, and those with effects.
    pub nodes: Vec<Rc<Recorded>>,
    pub results: Vec<ValueId>,
}

/// A node of a body.
pub(crate) struct Recorded {
    pub op: Op,
    pub operands: Vec<ValueId>,
    pub results: Vec<ValueId>,
    pub location: &'static Location<'static>,
    pub regions: HashMap<RegionId, Body>,
}

impl Body {
    /// A copy of a region of the current trace.
    pub fn of(region: RegionId) -> Option<Body> {
        current_graph(|graph| Body::copied(graph, region))
    }

    fn copied(graph: &Graph, id: RegionId) -> Body {
        let region = graph.region(id);
        let mut nodes = Vec::new();
        let mut needed: HashSet<ValueId> = region.results.iter().copied().collect();
        for &id in region.nodes.iter().rev() {
            let node = graph.node(id);
            let results: Vec<ValueId> = graph.node_results(id).collect();
            let regions: HashMap<RegionId, Body> =
                node.op.regions().map(|owned| (owned, Body::copied(graph, owned))).collect();
            let has_effect = node.op.has_effect() || regions.values().any(Body::has_effect);
            if matches!(node.op, Op::Parameter(_))
                || !(has_effect || results.iter().any(|result| needed.contains(result)))
            {
                continue;
            }
            needed.extend(graph.operands(id));
            regions.values().for_each(|body| needed.extend(body.free()));
            nodes.push(Rc::new(Recorded { regions, ..Recorded::without_regions(graph, id) }));
        }
        nodes.reverse();
        Body {
            kind: region.kind,
            shapes: region.parameters.iter().map(|&value| graph.shape(value)).collect(),
            parameters: region.parameters.clone(),
            nodes,
            results: region.results.clone(),
        }
    }

    /// The values that a result is computed from, also where no derivative passes: results of
    /// nodes, parameters, and values of outer regions.
    pub fn needed_for(&self, result: usize) -> HashSet<ValueId> {
        let mut needed: HashSet<ValueId> = self.results.get(result).copied().into_iter().collect();
        for node in self.nodes.iter().rev() {
            if node.results.iter().any(|result| needed.contains(result)) {
                needed.extend(&node.operands);
                node.regions.values().for_each(|body| needed.extend(body.free()));
            }
        }
        needed
    }

    /// Whether a node, also of a nested region, has an effect.
    pub fn has_effect(&self) -> bool {
        self.nodes.iter().any(|node| node.has_effect())
    }

    /// The values of outer regions that the body uses.
    pub fn free(&self) -> HashSet<ValueId> {
        let mut used: HashSet<ValueId> = self.results.iter().copied().collect();
        let mut own: HashSet<ValueId> = self.parameters.iter().copied().collect();
        for node in &self.nodes {
            used.extend(&node.operands);
            own.extend(&node.results);
            node.regions.values().for_each(|body| used.extend(body.free()));
        }
        &used - &own
    }
}

/// Whether values of the current trace are computed from one of `sources`, or are one of them.
pub(crate) fn are_computed_from(values: HashSet<ValueId>, sources: &[ValueId]) -> bool {
    let mut pending: Vec<ValueId> = values.iter().copied().collect();
    let mut seen = values;
    let found = current_graph(|graph| {
        while let Some(value) = pending.pop() {
            if sources.contains(&value) {
                return true;
            }
            let id = graph.value(value).node;
            let regions = graph.node(id).op.regions();
            let captured = regions.flat_map(|region| Body::copied(graph, region).free());
            let operands = graph.operands(id).iter().copied();
            pending.extend(operands.chain(captured).filter(|&value| seen.insert(value)));
        }
        false
    });
    found.unwrap_or(false)
}

impl Recorded {
    /// The constant that a value of the current trace is, of a node without operands.
    pub fn constant(value: ValueId) -> Option<Rc<Recorded>> {
        current_graph(|graph| {
            let id = graph.value(value).node;
            let op = &graph.node(id).op;
            let is_constant =
                graph.operands(id).is_empty() && op.regions().next().is_none() && op.is_mergeable();
            is_constant.then(|| Rc::new(Recorded::without_regions(graph, id)))
        })?
    }

    /// A node without its regions.
    fn without_regions(graph: &Graph, id: NodeId) -> Recorded {
        let node = graph.node(id);
        Recorded {
            op: node.op.clone(),
            operands: graph.operands(id).to_vec(),
            results: graph.node_results(id).collect(),
            location: node.location,
            regions: HashMap::new(),
        }
    }

    /// Whether the node, or one in its regions, has an effect.
    pub fn has_effect(&self) -> bool {
        self.op.has_effect() || self.regions.values().any(Body::has_effect)
    }
}
