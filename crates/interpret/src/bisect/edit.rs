//! Edits of programs, each of which removes ops, outputs, or steps of loops.

use super::{
    BisectError, BisectedProgram,
    inline::{Inline, stacked},
};
use crate::Array;
use hloom_graph::{
    DType, Graph, NodeId, Op, RegionId, RegionKind, Replay, Shape, Spec, Tensor, TraceError,
    TraceScope, ValueId,
    op::{ForLoop, Scan},
    record, record_region,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Changes of a program.
pub(super) struct Edit<'v> {
    /// The results that are kept: the position of each, and the value that is returned there.
    pub results: Vec<(usize, ValueId)>,
    /// Ops outside of bodies that become inputs.
    pub cut: HashSet<NodeId>,
    /// The values outside of bodies, of which some become inputs.
    pub values: Option<&'v BTreeMap<ValueId, Array>>,
    /// Ops that become one of their operands, by its position.
    pub bypass: HashMap<NodeId, usize>,
    /// An op that becomes its body.
    pub inline: Option<&'v Inline>,
    /// A loop that gets another number of steps.
    pub count: Option<(NodeId, usize)>,
}

/// Tensors of the new trace that replace the ops and values that an edit removes.
#[derive(Default)]
struct Replacements {
    /// Values that became inputs.
    held: HashMap<ValueId, Tensor>,
    /// The arguments of a body, or the elements that a shorter scan takes.
    arguments: Vec<Tensor>,
    /// The parts of stacked values that the remaining steps compute, which the program returns.
    parts: HashMap<ValueId, Tensor>,
}

impl Edit<'_> {
    /// No change.
    pub fn none(program: &BisectedProgram) -> Edit<'static> {
        Edit {
            results: program.graph.root().results.iter().copied().enumerate().collect(),
            cut: HashSet::new(),
            values: None,
            bypass: HashMap::new(),
            inline: None,
            count: None,
        }
    }

    pub fn applied(&self, program: &BisectedProgram) -> Result<BisectedProgram, BisectError> {
        let graph = &program.graph;
        let trace = opened(graph);
        let mut inputs = program.inputs.clone();
        let arguments = parameters(&trace, graph, &|_| true);
        let mut names = unused_names(graph);
        let mut input = |node: NodeId, shape: Shape, array: &Array| {
            inputs.push(array.reshaped(shape));
            let name = names.next().unwrap_or_default();
            trace.parameter_at(graph.node(node).location, name, &Spec::of(shape), false)
        };
        let mut new = Replacements::default();
        let live = graph.live();
        let held = graph.root().nodes.iter().flat_map(|&node| {
            let is_inlined = self.inline.is_some_and(|inline| inline.op == node);
            let is_counted = self.count.is_some_and(|(of, _)| of == node);
            let is_cut = self.cut.contains(&node);
            if is_cut && live[node.index()] {
                graph.node_results(node).collect()
            } else if !is_cut && (is_inlined || is_counted) {
                stacked(graph, node)
            } else {
                Vec::new()
            }
        });
        for value in held {
            if let Some(array) = self.values.and_then(|values| values.get(&value)) {
                let node = graph.value(value).node;
                new.held.insert(value, input(node, graph.shape(value), array));
            }
        }
        if let Some(Inline { op, body, arguments: Some(arrays) }) = self.inline {
            let parameters = graph.region(*body).parameters.iter().zip(arrays);
            new.arguments =
                parameters.map(|(&value, x)| input(*op, graph.shape(value), x)).collect();
        }
        for (op, array) in self.first_elements(graph) {
            new.arguments.push(input(op, array.shape(), &array));
        }
        let mut replay = Replay::new(graph);
        replay.region(Graph::ROOT, &arguments, &mut |replay, node| {
            self.replacement(replay, node, &mut new)
        });
        let kept = |&(at, value): &(usize, ValueId)| {
            let part = new.parts.get(&value).copied();
            Some((graph.results().get(at)?.name.clone(), part.or_else(|| replay.get(value))?))
        };
        let results = self.results.iter().filter_map(kept).collect();
        Ok(BisectedProgram { graph: trace.finish(results).map_err(recorded)?, inputs })
    }

    /// The elements that a shorter scan takes, where its operands are known.
    fn first_elements(&self, graph: &Graph) -> Vec<(NodeId, Array)> {
        let Some(((op, count), values)) = self.count.zip(self.values) else { return Vec::new() };
        let Op::Scan(scan) = &graph.node(op).op else { return Vec::new() };
        let operands = graph.operands(op)[scan.carried..].iter().zip(&scan.axes);
        let first = |(value, &axis): (&ValueId, &usize)| {
            let array = values.get(value)?;
            let shape = graph.shape(*value);
            let sizes = (0..shape.rank()).map(|at| {
                if at == axis {
                    (shape.names()[at], count)
                } else {
                    (shape.names()[at], shape.sizes()[at])
                }
            });
            let shorter = shape.with_dims(hloom_graph::Dims::new(sizes).ok()?);
            Some((op, Array::from_fn(shorter, |position| array.at(position))))
        };
        operands.filter_map(first).collect()
    }

    /// The tensors that replace an op, if any do.
    fn replacement(
        &self,
        replay: &mut Replay<'_>,
        node: NodeId,
        new: &mut Replacements,
    ) -> Option<Vec<Tensor>> {
        let graph = replay.from();
        if self.cut.contains(&node) {
            return graph.node_results(node).map(|value| new.held.get(&value).copied()).collect();
        }
        let operands = |replay: &Replay<'_>| -> Option<Vec<Tensor>> {
            graph.operands(node).iter().map(|&value| replay.get(value)).collect()
        };
        if let Some(&at) = self.bypass.get(&node) {
            return Some(vec![*operands(replay)?.get(at)?]);
        }
        if let Some(inline) = self.inline.filter(|inline| inline.op == node) {
            let arguments = match (&inline.arguments, &graph.node(node).op) {
                (Some(_), _) => new.arguments.clone(),
                (None, Op::Case(_)) => Vec::new(),
                (None, Op::ForLoop(_)) => {
                    [vec![Tensor::scalar(0, DType::I32)], operands(replay)?].concat()
                }
                (None, _) => operands(replay)?,
            };
            let results = replay.region(inline.body, &arguments, &mut |_, _| None);
            return Some(new.with_parts(graph, node, results));
        }
        let (_, count) = self.count.filter(|(of, _)| *of == node)?;
        let results = match &graph.node(node).op {
            Op::ForLoop(repeat) => {
                let operands = operands(replay)?;
                let body = again("for_loop", replay, repeat.body)?;
                record(ForLoop { count, body }, &operands)
            }
            Op::Scan(scan) if new.arguments.len() == scan.axes.len() => {
                let carried = operands(replay)?.into_iter().take(scan.carried);
                let operands: Vec<Tensor> = carried.chain(new.arguments.iter().copied()).collect();
                let body = again("scan", replay, scan.body)?;
                record(Scan { body, ..Scan::clone(scan) }, &operands)
            }
            _ => return None,
        };
        Some(new.with_parts(graph, node, results))
    }
}

impl Replacements {
    /// The results of fewer steps of an op, where inputs replace stacked values.
    fn with_parts(&mut self, graph: &Graph, node: NodeId, results: Vec<Tensor>) -> Vec<Tensor> {
        let stacked = stacked(graph, node);
        let result = |(value, result): (ValueId, Tensor)| {
            if !stacked.contains(&value) {
                return result;
            }
            self.parts.insert(value, result);
            self.held.get(&value).copied().unwrap_or(result)
        };
        graph.node_results(node).zip(results).map(result).collect()
    }
}

/// The body of a loop, recorded again.
fn again(op: &'static str, replay: &mut Replay<'_>, body: RegionId) -> Option<RegionId> {
    let graph = replay.from();
    let parameters = graph.region(body).parameters.iter();
    let shapes: Vec<Shape> = parameters.map(|&value| graph.shape(value)).collect();
    record_region(op, &shapes, RegionKind::Open, |parameters| {
        replay.region(body, parameters, &mut |_, _| None)
    })
}

impl BisectedProgram {
    /// The same program without the inputs that no live op and no result uses.
    pub fn without_unused_inputs(&self) -> Result<BisectedProgram, BisectError> {
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
        Ok(BisectedProgram {
            graph: rest,
            inputs: inputs.map(|(_, input)| input.clone()).collect(),
        })
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
        if is_used(at) {
            let spec = parameter.spec.clone();
            trace.parameter_at(location, parameter.name.clone(), &spec, parameter.donated)
        } else {
            hloom_graph::called_from(location, || Tensor::zeros(shape.dtype(), shape.axes()))
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

/// The live ops with one result that have an operand of the result's shape, and the position of
/// that operand.
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

/// The live loops with a known number of steps that can be shortened, with that number. A scan is
/// included only outside of bodies, since its operands' values are not known elsewhere.
pub(super) fn loops(graph: &Graph) -> Vec<(NodeId, usize)> {
    let live = graph.live();
    let nodes = graph.nodes().filter(|(node, _)| live[node.index()]);
    let is_outside = |node: &hloom_graph::Node| node.region == Graph::ROOT;
    let all = nodes.filter(|(_, node)| matches!(node.op, Op::ForLoop(_)) || is_outside(node));
    all.filter_map(|(id, _)| Some((id, steps(graph, id)?))).collect()
}

/// The number of steps of a loop, if it is known.
fn steps(graph: &Graph, node: NodeId) -> Option<usize> {
    match &graph.node(node).op {
        Op::ForLoop(repeat) => Some(repeat.count),
        Op::Scan(scan) => {
            let operand = *graph.operands(node).get(scan.carried)?;
            graph.shape(operand).sizes().get(scan.axes[0]).copied()
        }
        _ => None,
    }
}

/// The number of steps of all live loops for which it is known.
pub(super) fn step_count(graph: &Graph) -> usize {
    let live = graph.live();
    let nodes = graph.nodes().filter(|(node, _)| live[node.index()]);
    nodes.filter_map(|(id, _)| steps(graph, id)).sum()
}

/// The number of live ops, without parameters.
pub(super) fn op_count(graph: &Graph) -> usize {
    let live = graph.live();
    let is_op = |(id, node): &(NodeId, &hloom_graph::Node)| {
        live[id.index()] && !matches!(node.op, Op::Parameter(_))
    };
    graph.nodes().filter(is_op).count()
}
