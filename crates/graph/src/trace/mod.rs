//! The thread's traces, which record ops and errors.

mod builder;
mod caller;
mod graph_builder;
mod operand;
mod over_mesh;
mod scope;

use crate::{
    Alias, Graph, MeshShape, Op, RegionId, RegionKind, Shape, Tensor, TraceError, Value, ValueId,
};
use smallvec::SmallVec;
use std::{cell::RefCell, collections::VecDeque, panic::Location, sync::atomic::AtomicU32};

pub(crate) use builder::{Builder, OpError, Rule};
pub use caller::{at, named_scope};
pub use graph_builder::{GraphBuilder, GraphError};
pub use scope::TraceScope;

/// The number of ended traces whose names a thread remembers for error messages.
const REMEMBERED: usize = 64;

thread_local! {
    static TRACES: RefCell<Traces> =
        const { RefCell::new(Traces::new()) };
}

static NEXT_ID: AtomicU32 = AtomicU32::new(0);

struct Traces {
    open: Vec<Trace>,
    ended: VecDeque<(u32, String)>,
    /// Replaces the location of every op while [`at`] or [`named_scope`] runs.
    caller: Option<&'static Location<'static>>,
    /// The functions composed of ops that are running, outermost first.
    scopes: Vec<&'static str>,
}

pub(crate) struct Trace {
    id: u32,
    graph: Graph,
    regions: Vec<RegionId>,
    /// The bodies being traced whose parameters are operands of the op around them, and these.
    bound: Vec<(RegionId, Vec<ValueId>)>,
    error: Option<TraceError>,
}

impl Traces {
    const fn new() -> Traces {
        Traces { open: Vec::new(), ended: VecDeque::new(), caller: None, scopes: Vec::new() }
    }

    fn name_of(&self, id: u32) -> String {
        let open = self.open.iter().find(|t| t.id == id).map(|t| format!("`{}`", t.graph.name));
        let ended =
            || self.ended.iter().find(|e| e.0 == id).map(|e| format!("`{}`, which has ended", e.1));
        open.or_else(ended).unwrap_or_else(|| "that ended long ago".into())
    }
}

impl Trace {
    fn record(&mut self, error: TraceError) {
        match &mut self.error {
            Some(first) => first.following += 1,
            None => self.error = Some(error),
        }
    }

    fn region(&self) -> RegionId {
        *self.regions.last().expect("the root region stays open")
    }

    fn record_error(
        &mut self,
        op: &'static str,
        operands: &[Tensor],
        location: &'static Location<'static>,
        message: String,
        scopes: &[&'static str],
    ) {
        let operands = self.operands(operands);
        // A function composed of ops may report an error as its own.
        let own = (scopes.last() != Some(&op)).then_some(op);
        let all: Vec<&'static str> = scopes.iter().copied().chain(own).collect();
        self.record(TraceError {
            operands,
            within: all[1..].to_vec(),
            ..TraceError::new(all[0], message, location)
        });
    }
}

/// Runs an op's rule on valid operands and records its error; `None` if the result is poisoned,
/// which the trace has an error for.
pub(crate) fn emit<R>(
    op: &'static str,
    operands: &[Tensor],
    location: &'static Location<'static>,
    rule: impl FnOnce(&mut Builder<'_>, &[Shape], &[ValueId]) -> Rule<R>,
) -> Option<R> {
    TRACES.with_borrow_mut(|traces| {
        let location = traces.caller.unwrap_or(location);
        let current = traces.open.last()?;
        let (id, region) = (current.id, current.region());
        let mut shapes = SmallVec::<[Shape; 4]>::new();
        let mut values = SmallVec::<[ValueId; 8]>::new();
        for tensor in operands {
            let message = if tensor.trace_id() != id {
                format!(
                    "a tensor of trace {} is used in trace {}",
                    traces.name_of(tensor.trace_id()),
                    traces.name_of(id)
                )
            } else if tensor.has_failed() {
                if current.error.is_some() {
                    return None;
                }
                // Where an op returned nothing and reported nothing, this is its first trace.
                "an operand has no value".to_owned()
            } else {
                let Value { shape, node } = current.graph.value(tensor.value());
                if current.graph.encloses(current.graph.node(node).region, region) {
                    shapes.push(shape);
                    values.push(tensor.value());
                    continue;
                }
                misplaced(&current.graph, current.graph.node(node).region, region).into()
            };
            let Traces { open, scopes, .. } = traces;
            open.last_mut()?.record_error(op, operands, location, message, scopes);
            return None;
        }
        let Traces { open, scopes, .. } = traces;
        let trace = open.last_mut()?;
        let before = trace.graph.node_count();
        let mut builder = Builder { graph: &mut trace.graph, region, location };
        let done = rule(&mut builder, &shapes, &values).and_then(|value| {
            over_mesh::check(&trace.graph, before)?;
            Ok(value)
        });
        match done {
            Ok(value) => Some(value),
            Err(OpError(message)) => {
                trace.record_error(op, operands, location, message, scopes);
                None
            }
        }
    })
}

/// Why a value of one region cannot be used in another.
fn misplaced(graph: &Graph, made: RegionId, used: RegionId) -> &'static str {
    let is_manual = |region: Option<RegionId>| {
        graph.region(region.unwrap_or(Graph::ROOT)).kind == RegionKind::Manual
    };
    match (graph.isolated_around(made), graph.isolated_around(used)) {
        (made, used) if made == used => {
            "a tensor made inside the body of a control-flow op is used outside of it; return it \
             from the body"
        }
        (_, used) if is_manual(used) => {
            "a tensor made outside of `manual` is used inside of it; pass it as one of its inputs"
        }
        (_, Some(_)) => {
            "a tensor made outside of a body is used inside of it, which sees its own arguments \
             alone"
        }
        (made, None) if is_manual(made) => {
            "a tensor made inside of `manual` is used outside of it; return it from the body"
        }
        (_, None) => {
            "a tensor made inside of a body is used outside of it; return it from the body"
        }
    }
}

/// Records an error found before an op could be added.
pub(crate) fn fail(error: TraceError) {
    TRACES.with_borrow_mut(|traces| {
        if let Some(trace) = traces.open.last_mut() {
            trace.record(error);
        }
    });
}

/// Records an error of an op that a higher crate composes of others, with its operands' shapes and
/// the caller's line. Returns a poisoned tensor.
#[track_caller]
pub fn record_error(op: &'static str, operands: &[Tensor], message: impl Into<String>) -> Tensor {
    let message = message.into();
    let value =
        emit(op, operands, Location::caller(), |_, _, _| Err::<ValueId, _>(OpError(message)));
    Tensor::or_poisoned(value)
}

/// Adds a node with one result; `rule` computes its attributes from the operands' shapes.
#[track_caller]
pub(crate) fn apply<A: Into<Op>>(
    op: &'static str,
    operands: &[Tensor],
    rule: impl FnOnce(&[Shape]) -> Rule<A>,
) -> Tensor {
    let value = emit(op, operands, Location::caller(), |builder, shapes, values| {
        let attributes = rule(shapes)?;
        builder.add_to(attributes.into(), shapes, values)
    });
    Tensor::or_poisoned(value)
}

/// The id of the innermost open trace, if any.
pub(crate) fn current_id() -> Option<u32> {
    TRACES.with_borrow(|traces| traces.open.last().map(|t| t.id))
}

/// The mesh of the innermost trace.
pub(crate) fn mesh() -> Option<MeshShape> {
    TRACES.with_borrow(|traces| traces.open.last()?.graph.mesh)
}

/// The mesh of the innermost trace, and whether ops are added to a manual body, which runs per
/// device on local parts; for higher crates.
pub fn trace_mesh() -> Option<(MeshShape, bool)> {
    TRACES.with_borrow(|traces| {
        let trace = traces.open.last()?;
        let is_manual = trace.graph.manual_around(trace.region()).is_some();
        Some((trace.graph.mesh?, is_manual))
    })
}

/// The shape of a tensor, or `None` if it is poisoned or belongs to another trace.
pub(crate) fn shape_of(tensor: Tensor) -> Option<Shape> {
    TRACES.with_borrow(|traces| {
        let trace = traces.open.iter().rev().find(|t| t.id == tensor.trace_id())?;
        (!tensor.has_failed()).then(|| trace.graph.shape(tensor.value()))
    })
}

/// Whether a trace is open on this thread.
pub(crate) fn is_open(id: u32) -> bool {
    TRACES.with_borrow(|traces| traces.open.iter().any(|trace| trace.id == id))
}

/// Runs `body` in a new open region: `shapes` are the shapes of its parameters, and the tensors
/// that `body` returns become its results. Returns the region, or `None` if a result is unusable.
pub(crate) fn in_region<R>(
    op: &'static str,
    shapes: &[Shape],
    location: &'static Location<'static>,
    body: impl FnOnce(&[Tensor]) -> (Vec<Tensor>, R),
) -> (Option<RegionId>, R) {
    in_region_of(op, RegionKind::Open, shapes, &[], location, body)
}

/// As [`in_region`], with a region kind, and the operands that the parameters are if they are an
/// op's operands as they are: errors in the body name them.
pub(crate) fn in_region_of<R>(
    op: &'static str,
    kind: RegionKind,
    shapes: &[Shape],
    operands: &[Tensor],
    location: &'static Location<'static>,
    body: impl FnOnce(&[Tensor]) -> (Vec<Tensor>, R),
) -> (Option<RegionId>, R) {
    /// Closes the region also when `body` panics.
    struct Close(u32);
    impl Drop for Close {
        fn drop(&mut self) {
            TRACES.with_borrow_mut(|traces| {
                if let Some(trace) = traces.open.iter_mut().find(|t| t.id == self.0) {
                    let closed = trace.regions.pop();
                    trace.bound.retain(|(body, _)| Some(*body) != closed);
                }
            });
        }
    }
    let opened = TRACES.with_borrow_mut(|traces| {
        let location = traces.caller.unwrap_or(location);
        let trace = traces.open.last_mut()?;
        let region = trace.graph.open_region(trace.region());
        trace.graph.regions[region.index()].kind = kind;
        trace.regions.push(region);
        if !operands.is_empty()
            && operands.iter().all(|tensor| tensor.trace_id() == trace.id && !tensor.has_failed())
        {
            let operands = operands.iter().map(|tensor| tensor.value()).collect();
            trace.bound.push((region, operands));
        }
        let parameter =
            |&shape: &Shape| Tensor::new(trace.id, trace.graph.parameter(region, shape, location));
        let parameters: Vec<Tensor> = shapes.iter().map(parameter).collect();
        Some((trace.id, region, parameters))
    });
    let Some((id, region, parameters)) = opened else {
        let (_, rest) = body(&vec![Tensor::poisoned(); shapes.len()]);
        return (None, rest);
    };
    let close = Close(id);
    let (results, rest) = body(&parameters);
    let finished = emit(op, &results, location, |builder, _, values| {
        builder.graph.regions[region.index()].results = values.to_vec();
        Ok(region)
    });
    drop(close);
    (finished, rest)
}

/// Adds a parameter to the innermost open region.
pub(crate) fn region_parameter(shape: Shape, location: &'static Location<'static>) -> Tensor {
    let value = TRACES.with_borrow_mut(|traces| {
        let location = traces.caller.unwrap_or(location);
        let trace = traces.open.last_mut()?;
        let region = trace.region();
        Some(trace.graph.parameter(region, shape, location))
    });
    Tensor::or_poisoned(value)
}

/// Calls `look` with the graph of the innermost trace, if one is open.
pub(crate) fn current_graph<R>(look: impl FnOnce(&Graph) -> R) -> Option<R> {
    TRACES.with_borrow(|traces| traces.open.last().map(|trace| look(&trace.graph)))
}

/// Requests that a tensor reuse the memory of another, if that is a donated argument of the
/// innermost trace.
pub(crate) fn alias_argument(tensor: Tensor, argument: Tensor) {
    TRACES.with_borrow_mut(|traces| {
        let Some(trace) = traces.open.last_mut() else { return };
        let are_here =
            [tensor, argument].iter().all(|t| t.trace_id() == trace.id && !t.has_failed());
        if !are_here {
            return;
        }
        let position =
            trace.graph.root().parameters.iter().position(|&value| value == argument.value());
        if let Some(position) = position
            && trace.graph.parameters[position].donated
        {
            alias(&mut trace.graph, tensor.value(), position);
        }
    });
}

/// Requests that `value` reuse the memory of the parameter at index `parameter`.
pub(crate) fn alias(graph: &mut Graph, value: ValueId, parameter: usize) {
    graph.aliases.push(Alias { value, parameter });
}
