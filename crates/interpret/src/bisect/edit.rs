//! Edits of programs, each of which removes ops, outputs, or steps of loops.

use super::{BisectError, Program};
use crate::Array;
use hloom_graph::{
    DType, Graph, NodeId, Op, RegionKind, Replay, Shape, Spec, Tensor, TraceError, TraceScope,
    ValueId, op::ForLoop, record, record_region,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Changes of a program.
pub(super) struct Edit<'v> {
    /// The results that are kept: the position of each, and the value that is returned there.
    pub results: Vec<(usize, ValueId)>,
    /// Ops outside of bodies that become inputs.
    pub cut: HashSet<NodeId>,
    /// The values of the ops that become inputs.
    pub values: Option<&'v BTreeMap<ValueId, Array>>,
    /// Ops that become one of their operands, by its position.
    pub bypass: HashMap<NodeId, usize>,
    /// A composite that becomes its body, or a loop that becomes its first step.
    pub inline: Option<NodeId>,
    /// A loop that gets another number of steps.
    pub count: Option<(NodeId, usize)>,
}

impl Edit<'_> {
    /// No change.
    pub fn none(program: &Program) -> Edit<'static> {
        Edit {
            results: program.graph.root().results.iter().copied().enumerate().collect(),
            cut: HashSet::new(),
            values: None,
            bypass: HashMap::new(),
            inline: None,
            count: None,
        }
    }

    pub fn applied(&self, program: &Program) -> Result<Program, BisectError> {
        let graph = &program.graph;
        let trace = opened(graph);
        let mut inputs = program.inputs.clone();
        let arguments = parameters(&trace, graph, &|_| true);
        let mut cut = HashMap::new();
        let mut names = unused_names(graph);
        let live = graph.live();
        for &node in &graph.root().nodes {
            let values = self.values.filter(|_| self.cut.contains(&node) && live[node.index()]);
            let Some(values) = values else { continue };
            for value in graph.node_results(node) {
                let Some(array) = values.get(&value) else { continue };
                let name = names.next().unwrap_or_default();
                let spec = Spec::of(graph.shape(value));
                let location = graph.node(node).location;
                cut.insert(value, trace.parameter_at(location, name, &spec, false));
                inputs.push(array.clone());
            }
        }
        let mut replay = Replay::new(graph);
        replay.region(Graph::ROOT, &arguments, &mut |replay, node| {
            self.replacement(replay, node, &cut)
        });
        let kept = |&(at, value): &(usize, ValueId)| {
            Some((graph.results().get(at)?.name.clone(), replay.get(value)?))
        };
        let results = self.results.iter().filter_map(kept).collect();
        Ok(Program { graph: trace.finish(results).map_err(recorded)?, inputs })
    }

    /// The tensors that replace an op, if any do.
    fn replacement(
        &self,
        replay: &mut Replay<'_>,
        node: NodeId,
        cut: &HashMap<ValueId, Tensor>,
    ) -> Option<Vec<Tensor>> {
        let graph = replay.from();
        if self.cut.contains(&node) {
            return graph.node_results(node).map(|value| cut.get(&value).copied()).collect();
        }
        let operands = |replay: &Replay<'_>| -> Option<Vec<Tensor>> {
            graph.operands(node).iter().map(|&value| replay.get(value)).collect()
        };
        if let Some(&at) = self.bypass.get(&node) {
            return Some(vec![*operands(replay)?.get(at)?]);
        }
        match &graph.node(node).op {
            Op::Composite(composite) if self.inline == Some(node) => {
                let operands = operands(replay)?;
                Some(replay.region(composite.body, &operands, &mut |_, _| None))
            }
            Op::ForLoop(repeat) if self.inline == Some(node) => {
                let mut arguments = vec![Tensor::scalar(0, DType::I32)];
                arguments.extend(operands(replay)?);
                Some(replay.region(repeat.body, &arguments, &mut |_, _| None))
            }
            Op::ForLoop(repeat) => {
                let (_, count) = self.count.filter(|(of, _)| *of == node)?;
                let operands = operands(replay)?;
                let shapes = graph.region(repeat.body).parameters.iter();
                let shapes: Vec<Shape> = shapes.map(|&value| graph.shape(value)).collect();
                let body = record_region("for_loop", &shapes, RegionKind::Open, |parameters| {
                    replay.region(repeat.body, parameters, &mut |_, _| None)
                })?;
                Some(record(ForLoop { count, body }, &operands))
            }
            _ => None,
        }
    }
}

impl Program {
    /// The same program without the inputs that no live op and no result uses.
    pub fn without_unused_inputs(&self) -> Result<Program, BisectError> {
        let graph = &self.graph;
        let live = graph.live();
        let mut used: HashSet<ValueId> = graph.root().results.iter().copied().collect();
        for (node, _) in graph.nodes().filter(|(node, _)| live[node.index()]) {
            used.extend(graph.operands(node));
            let regions = graph.node(node).op.regions();
            regions.for_each(|region| used.extend(&graph.region(region).results));
        }
        let parameters_ = &graph.root().parameters;
        let is_used = |at: usize| used.contains(&parameters_[at]);
        let trace = opened(graph);
        let arguments = parameters(&trace, graph, &is_used);
        let results = Replay::new(graph).region(Graph::ROOT, &arguments, &mut |_, _| None);
        let names = graph.results().iter().map(|result| result.name.clone());
        let rest = trace.finish(names.zip(results).collect()).map_err(recorded)?;
        let inputs = self.inputs.iter().enumerate().filter(|(at, _)| is_used(*at));
        Ok(Program { graph: rest, inputs: inputs.map(|(_, input)| input.clone()).collect() })
    }
}

fn recorded(error: TraceError) -> BisectError {
    BisectError::Record(Box::new(error))
}

/// A trace of a function of the same name over the same mesh.
fn opened(graph: &Graph) -> TraceScope {
    match graph.mesh() {
        Some(mesh) => TraceScope::begin_over(graph.name(), mesh),
        None => TraceScope::begin(graph.name()),
    }
}

/// The parameters of a graph in another trace; constants replace those that are not used.
fn parameters(trace: &TraceScope, graph: &Graph, is_used: &dyn Fn(usize) -> bool) -> Vec<Tensor> {
    let all = graph.parameters().iter().zip(&graph.root().parameters).enumerate();
    let parameter = |(at, (parameter, &value)): (usize, (&hloom_graph::Parameter, &ValueId))| {
        let location = graph.node(graph.value(value).node).location;
        let shape = graph.shape(value);
        match is_used(at) {
            true => {
                let spec = parameter.spec.clone();
                trace.parameter_at(location, parameter.name.clone(), &spec, parameter.donated)
            }
            false => {
                hloom_graph::called_from(location, || Tensor::zeros(shape.dtype(), shape.axes()))
            }
        }
    };
    all.map(parameter).collect()
}

/// Names for inputs that no parameter has.
fn unused_names(graph: &Graph) -> impl Iterator<Item = String> {
    let is_taken = |name: &String| graph.parameters().iter().any(|other| other.name == *name);
    (0..).map(|number: usize| format!("value{number}")).filter(move |name| !is_taken(name))
}

/// The live ops outside of bodies.
pub(super) fn root_ops(graph: &Graph) -> Vec<NodeId> {
    let live = graph.live();
    let is_op =
        |node: &&NodeId| live[node.index()] && !matches!(graph.node(**node).op, Op::Parameter(_));
    graph.root().nodes.iter().filter(is_op).copied().collect()
}

/// The live ops of one result that have an operand of its shape, and the position of that.
pub(super) fn bypasses(graph: &Graph) -> Vec<(NodeId, usize)> {
    let live = graph.live();
    let bypass = |(node, of): (NodeId, &hloom_graph::Node)| {
        if !live[node.index()] || matches!(of.op, Op::Parameter(_)) {
            return None;
        }
        let mut results = graph.node_results(node);
        let (result, None) = (results.next()?, results.next()) else { return None };
        let fits = |&value: &ValueId| graph.shape(value).same_layout(&graph.shape(result));
        Some((node, graph.operands(node).iter().position(fits)?))
    };
    graph.nodes().filter_map(bypass).collect()
}

/// The live loops of a known number of steps.
pub(super) fn loops(graph: &Graph) -> Vec<NodeId> {
    let live = graph.live();
    let nodes = graph.nodes().filter(|(node, _)| live[node.index()]);
    let is_loop = |op: &Op| matches!(op, Op::ForLoop(_));
    nodes.filter(|(_, node)| is_loop(&node.op)).map(|(id, _)| id).collect()
}

/// The number of steps of all loops.
pub(super) fn step_count(graph: &Graph) -> usize {
    let count = |node: &NodeId| match graph.node(*node).op {
        Op::ForLoop(repeat) => repeat.count,
        _ => 0,
    };
    loops(graph).iter().map(count).sum()
}

/// The number of live ops, without parameters.
pub(super) fn op_count(graph: &Graph) -> usize {
    let live = graph.live();
    let is_op = |(id, node): &(NodeId, &hloom_graph::Node)| {
        live[id.index()] && !matches!(node.op, Op::Parameter(_))
    };
    graph.nodes().filter(is_op).count()
}
