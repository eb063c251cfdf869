//! The pending graph of some tensors: which nodes a program computes, and its structure.

use crate::{
    Lazy,
    failure::Failure,
    node::{Call, NOBODY, Node, NodeState},
    number::Number,
    piece::GraphPiece,
    place::LazyPlatform,
    record::two_platforms,
};
use hloom_graph::{Graph, Shape, Spec, Tensor, TraceError, TraceScope, called_from};
use hloom_runtime::Buffer;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use std::{panic::Location, sync::Arc};

/// The nodes that some tensors need, operands before their users.
pub(crate) struct Walk {
    pub nodes: Vec<Arc<Node>>,
    index: FxHashMap<*const Node, usize>,
}

/// The reason why no program can be run now.
pub(crate) enum Stop {
    /// The realization of this number computes an operand.
    Wait(u64),
    Failed(Failure),
}

impl Walk {
    /// The nodes that the targets need.
    pub fn of(targets: &[&Lazy]) -> Result<Walk, Stop> {
        let mut walk = Walk { nodes: Vec::new(), index: FxHashMap::default() };
        let mut entered = FxHashSet::default();
        let mut stack: Vec<(Arc<Node>, bool)> = Vec::new();
        for target in targets.iter().rev() {
            stack.push((target.node.clone(), false));
        }
        while let Some((node, is_expanded)) = stack.pop() {
            let place: *const Node = &*node;
            if !is_expanded && !entered.insert(place) {
                continue;
            }
            if !is_expanded {
                let state = node.state();
                match &*state {
                    NodeState::Pending(call) => {
                        stack.push((node.clone(), true));
                        let operands = call.operands.iter().rev();
                        stack.extend(operands.map(|operand| (operand.node.clone(), false)));
                        continue;
                    }
                    NodeState::Claimed(owner) => return Err(Stop::Wait(*owner)),
                    NodeState::Failed(failure) => return Err(Stop::Failed(failure.clone())),
                    NodeState::Number(_) | NodeState::Realized(_) => {}
                }
            }
            walk.index.insert(place, walk.nodes.len());
            walk.nodes.push(node);
        }
        Ok(walk)
    }

    fn index(&self, node: &Arc<Node>) -> usize {
        self.index[&Arc::as_ptr(node)]
    }

    /// For each node, whether it is a pending target.
    pub fn pending_targets(&self, targets: &[&Lazy]) -> Vec<bool> {
        let is_target = |node: &Arc<Node>| targets.iter().any(|t| Arc::ptr_eq(&t.node, node));
        let is_pending = |node: &Arc<Node>| matches!(*node.state(), NodeState::Pending(_));
        self.nodes.iter().map(|node| is_target(node) && is_pending(node)).collect()
    }

    /// For each node, whether the program returns it: a target, a pending node with an effect, or
    /// one that is held by more than its users here.
    pub fn outputs(&self, targets: &[&Lazy]) -> Vec<bool> {
        let mut uses = vec![1usize; self.nodes.len()];
        let mut outputs = vec![false; self.nodes.len()];
        let mut is_pending = vec![false; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            if let NodeState::Pending(call) = &*node.state() {
                is_pending[at] = true;
                outputs[at] = call.piece.has_effects;
                for operand in &call.operands {
                    uses[self.index(&operand.node)] += 1;
                }
            }
        }
        for target in targets {
            outputs[self.index(&target.node)] = true;
        }
        for (at, node) in self.nodes.iter().enumerate() {
            outputs[at] |= Arc::strong_count(node) > uses[at];
            outputs[at] &= is_pending[at];
        }
        outputs
    }
}

/// The computation of a program, without the values of its arguments.
pub(crate) struct Job {
    /// The calls, operands before their users.
    calls: Vec<JobCall>,
    /// The arguments: realized tensors, and numbers that are lifted.
    pub parameters: Vec<Parameter>,
    /// The nodes that the program returns, in the order of their calls.
    pub outputs: Vec<Arc<Node>>,
    /// The structure: jobs of equal structure and equal donations share one program.
    pub structure: Vec<u64>,
}

/// An argument of a program.
#[derive(Clone)]
pub(crate) struct Parameter {
    pub source: ParameterSource,
    pub shape: Shape,
}

/// The source of an argument's value.
#[derive(Clone)]
pub(crate) enum ParameterSource {
    Lazy(Lazy),
    /// A number that is lifted.
    Number(Number),
    /// The value was taken for a call.
    Taken,
}

struct JobCall {
    piece: Arc<GraphPiece>,
    operands: SmallVec<[JobOperand; 2]>,
    location: &'static Location<'static>,
    is_output: bool,
}

enum JobOperand {
    Result { call: usize, result: usize },
    Parameter { position: usize, shape: Shape },
    Number { number: Number, shape: Shape },
}

impl Job {
    /// The job of a walk. With `lift`, numbers are arguments.
    pub fn of(walk: &Walk, outputs: &[bool], lift: bool) -> Job {
        let mut job = Job {
            calls: Vec::new(),
            parameters: Vec::new(),
            outputs: Vec::new(),
            structure: vec![0],
        };
        let mut numbers = vec![usize::MAX; walk.nodes.len()];
        let mut buffers = FxHashMap::default();
        for (at, node) in walk.nodes.iter().enumerate() {
            let state = node.state();
            let NodeState::Pending(call) = &*state else { continue };
            job.structure.push(call.piece.id << 1 | u64::from(outputs[at]));
            let operands = call.operands.iter().map(|operand| {
                let (place, result) = (walk.index(&operand.node), operand.result as usize);
                let shape = operand.shape();
                match &*operand.node.state() {
                    NodeState::Realized(realized) => {
                        let buffer = Arc::as_ptr(&realized[result]);
                        let position = *buffers.entry(buffer).or_insert_with(|| {
                            let source = ParameterSource::Lazy(operand.clone());
                            job.parameters.push(Parameter { source, shape });
                            job.parameters.len() - 1
                        });
                        job.structure.extend([1, position as u64]);
                        JobOperand::Parameter { position, shape }
                    }
                    NodeState::Number(number) if lift && is_liftable(*number, shape) => {
                        let position = job.parameters.len();
                        let source = ParameterSource::Number(*number);
                        let scalar = Shape::scalar(shape.dtype());
                        job.parameters.push(Parameter { source, shape: scalar });
                        job.structure.extend([2, position as u64]);
                        JobOperand::Parameter { position, shape }
                    }
                    NodeState::Number(number) => {
                        let [kind, bits] = number.words();
                        job.structure.extend([3, kind, bits]);
                        JobOperand::Number { number: *number, shape }
                    }
                    NodeState::Pending(_) | NodeState::Claimed(_) | NodeState::Failed(_) => {
                        job.structure.extend([0, numbers[place] as u64, result as u64]);
                        JobOperand::Result { call: numbers[place], result }
                    }
                }
            });
            let operands = operands.collect();
            numbers[at] = job.calls.len();
            if outputs[at] {
                job.outputs.push(node.clone());
            }
            let (piece, location) = (call.piece.clone(), call.location);
            job.calls.push(JobCall { piece, operands, location, is_output: outputs[at] });
        }
        // The length of the calls comes first, so that what follows cannot be mistaken for a call.
        job.structure[0] = (job.calls.len() as u64) << 1 | u64::from(lift);
        job
    }

    /// The number of ops.
    pub fn count(&self) -> usize {
        self.calls.len()
    }

    /// The shapes of the program's results.
    pub fn results(&self) -> impl Iterator<Item = &Shape> {
        self.calls.iter().filter(|call| call.is_output).flat_map(|call| &*call.piece.results)
    }

    /// The names of the host functions that the program calls.
    pub fn host_calls(&self) -> impl Iterator<Item = &str> {
        let calls = self.calls.iter().flat_map(|call| call.piece.graph.host_calls());
        calls.map(|call| call.name.as_str())
    }

    /// The recorded ops that the program computes, restored as they were before the job took them:
    /// the nodes of all calls, in order. `own` are the nodes of the program's results. `arguments`
    /// are the values of its arguments; a missing value was consumed, and the nodes that need it
    /// fail.
    pub fn restored(
        &self,
        place: &Arc<LazyPlatform>,
        own: &[Arc<Node>],
        arguments: &[Option<Arc<Buffer>>],
        failure: &Failure,
    ) -> Vec<(Arc<Node>, Call)> {
        let place = Some(place.clone());
        let arguments = self.parameters.iter().zip(arguments).map(|(parameter, value)| {
            let state = match value {
                Some(buffer) => NodeState::Realized(smallvec![buffer.clone()]),
                None => NodeState::Failed(failure.clone()),
            };
            Lazy::new(place.clone(), [parameter.shape].into(), state, 0)
        });
        let arguments: Vec<Lazy> = arguments.collect();
        let bytes = self.calls.iter().map(|call| call.piece.bytes).fold(0, usize::saturating_add);
        let mut own = own.iter();
        let mut restored: Vec<(Arc<Node>, Call)> = Vec::with_capacity(self.calls.len());
        for JobCall { piece, operands, location, is_output } in &self.calls {
            let operands = operands.iter().map(|operand| match *operand {
                JobOperand::Result { call, result } => {
                    Lazy { node: restored[call].0.clone(), result: result as u32 }
                }
                JobOperand::Parameter { position, .. } => arguments[position].clone(),
                JobOperand::Number { number, shape } => {
                    Lazy::new(place.clone(), [shape].into(), NodeState::Number(number), 0)
                }
            });
            let operands = operands.collect();
            let (piece, location, nodes) = (piece.clone(), *location, self.count());
            let shapes = piece.results.clone();
            let call = Call { piece, operands, location, nodes, bytes };
            let node = match is_output.then(|| own.next()).flatten() {
                Some(node) => node.clone(),
                None => Node::new(place.clone(), shapes, NodeState::Claimed(NOBODY)),
            };
            restored.push((node, call));
        }
        restored
    }

    /// The graph of the program.
    pub fn graph(&self, donated: &[bool]) -> Result<Graph, TraceError> {
        let trace = TraceScope::begin("lazy");
        let location = self.calls.first().map_or(Location::caller(), |call| call.location);
        let parameters: Vec<Tensor> = self
            .parameters
            .iter()
            .zip(donated)
            .enumerate()
            .map(|(i, (parameter, &donated))| {
                let spec = Spec::of(parameter.shape);
                trace.parameter_at(location, format!("x{i}"), &spec, donated)
            })
            .collect();
        let mut values: Vec<Vec<Tensor>> = Vec::with_capacity(self.calls.len());
        let mut results = Vec::new();
        for call in &self.calls {
            let computed = called_from(call.location, || {
                let operands = call.operands.iter().map(|operand| match *operand {
                    JobOperand::Result { call, result } => values[call][result],
                    JobOperand::Number { number, shape } => number.tensor(shape),
                    JobOperand::Parameter { position, shape } => {
                        let parameter = parameters[position];
                        match self.parameters[position].source {
                            ParameterSource::Lazy(_) | ParameterSource::Taken => parameter,
                            ParameterSource::Number(_) => parameter.broadcast_to(shape.axes()),
                        }
                    }
                });
                call.piece.graph.replay(&operands.collect::<Vec<_>>())
            });
            if call.is_output {
                let first = results.len();
                let named = computed.iter().enumerate();
                results.extend(named.map(|(i, &tensor)| (format!("y{}", first + i), tensor)));
            }
            values.push(computed);
        }
        trace.finish(results)
    }
}

/// Whether a number is passed to a program of this type as an argument: a schedule has it as `f64`.
fn is_liftable(number: Number, shape: Shape) -> bool {
    let is_exact = match number {
        Number::Bool(_) => false,
        Number::Int(value) => value.unsigned_abs() < 1 << 53,
        Number::Uint(value) => value < 1 << 53,
        Number::Float(_) => true,
    };
    is_exact && number.bytes(shape.dtype()).is_some()
}

/// Returns an error if the targets are on two platforms.
#[track_caller]
pub(crate) fn check_platforms(targets: &[&Lazy]) -> Result<(), Failure> {
    let Some((first, rest)) = targets.split_first() else { return Ok(()) };
    for other in rest {
        if let (Some(a), Some(b)) = (&first.node.place, &other.node.place)
            && !a.platform.is_same(&b.platform)
        {
            return Err(two_platforms("realize", [a, b], Location::caller()));
        }
    }
    Ok(())
}
