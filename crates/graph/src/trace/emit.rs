//! Recording an op by its rule.

use super::{Builder, OpError, Rule, Traces, named_scope::innermost, over_mesh, with_traces_mut};
use crate::{Graph, Op, RegionId, RegionKind, Shape, Tensor, TraceError, Value, ValueId};
use smallvec::SmallVec;
use std::panic::Location;

/// Runs an op's rule on valid operands and records its error; `None` if the result is poisoned; the
/// trace then has an error.
pub(crate) fn emit<R>(
    op: &'static str,
    operands: &[Tensor],
    location: &'static Location<'static>,
    rule: impl FnOnce(&mut Builder<'_>, &[Shape], &[ValueId]) -> Rule<R>,
) -> Option<R> {
    let mut pending = Pending { rule: Some(rule), result: None };
    let is_done = run_rule(op, operands, location, &mut pending);
    if is_done { pending.result } else { None }
}

/// A rule with its type erased, so that the code that runs rules is compiled once.
trait RunRule {
    fn run(&mut self, builder: &mut Builder<'_>, shapes: &[Shape], values: &[ValueId]) -> Rule<()>;
}

/// A rule and, after it has run, its result.
struct Pending<F, R> {
    rule: Option<F>,
    result: Option<R>,
}

impl<R, F> RunRule for Pending<F, R>
where
    F: FnOnce(&mut Builder<'_>, &[Shape], &[ValueId]) -> Rule<R>,
{
    fn run(&mut self, builder: &mut Builder<'_>, shapes: &[Shape], values: &[ValueId]) -> Rule<()> {
        if let Some(rule) = self.rule.take() {
            self.result = Some(rule(builder, shapes, values)?);
        }
        Ok(())
    }
}

/// As [`emit`]; returns whether the result is valid.
fn run_rule(
    op: &'static str,
    operands: &[Tensor],
    location: &'static Location<'static>,
    rule: &mut dyn RunRule,
) -> bool {
    let run = |traces: &mut Traces| {
        let location = innermost(traces.caller, location);
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
                // An op failed without reporting an error: this is the first report of it.
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
        let done = rule
            .run(&mut builder, &shapes, &values)
            .and_then(|()| over_mesh::check(&trace.graph, before));
        match done {
            Ok(()) => Some(()),
            Err(OpError(message)) => {
                trace.record_error(op, operands, location, message, scopes);
                None
            }
        }
    };
    with_traces_mut(run).is_some()
}

/// The reason why a value of one region cannot be used in another.
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
            "a tensor made outside of a body is used inside of it; this body may only use its own \
             arguments"
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
    with_traces_mut(|traces| {
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
        builder.add_to(rule(shapes)?.into(), shapes, values)
    });
    Tensor::or_poisoned(value)
}
