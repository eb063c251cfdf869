//! Recording of ops by callers other than the methods of `Tensor`: passes, gradients, front ends.

use crate::{
    HostCall, Op, RegionId, RegionKind, Shape, Tensor,
    ops::handles,
    trace::{Builder, Rule, current_graph, emit, in_region_of},
};
use std::panic::Location;

/// Records an op on tensors of the current trace and returns its results.
///
/// An op that does not accept these operands is an error of the trace, and its results are
/// poisoned.
///
/// ```
/// use hloom_graph::{Spec, TraceScope, Unary, op::Transpose, PerAxis, record};
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::f32([("a", 2), ("b", 3)]), false);
/// let order = PerAxis::from_slice(&[1, 0]).expect("two axes");
/// let turned = record(Transpose { order }, &[x])[0];
/// assert_eq!(turned.shape().to_string(), "f32[b=3, a=2]");
/// let graph = trace.finish(vec![("y".into(), record(Unary::Abs, &[turned])[0])])?;
/// assert_eq!(graph.node_count(), 3);
/// # Ok::<(), hloom_graph::TraceError>(())
/// ```
#[track_caller]
pub fn record(op: impl Into<Op>, operands: &[Tensor]) -> Vec<Tensor> {
    record_at(Location::caller(), op.into(), operands, None)
}

/// Traces a body for an op that owns regions: `parameters` are the shapes of its parameters, and
/// the tensors that `body` returns are its results. `kind` decides which outside values it may use.
/// Returns `None` if a result is unusable, which is an error of the trace.
///
/// The region belongs to the place where it is traced; record the op that owns it there.
#[track_caller]
pub fn record_region(
    op: &'static str,
    parameters: &[Shape],
    kind: RegionKind,
    body: impl FnOnce(&[Tensor]) -> Vec<Tensor>,
) -> Option<RegionId> {
    in_region_of(op, kind, parameters, &[], Location::caller(), |parameters| (body(parameters), ()))
        .0
}

/// As [`record`], at a user source line; `host` is the host function of a custom call.
pub(crate) fn record_at(
    location: &'static Location<'static>,
    op: Op,
    operands: &[Tensor],
    host: Option<HostCall>,
) -> Vec<Tensor> {
    let count = current_graph(|graph| op.result_count(graph, operands.len())).unwrap_or(1);
    let values = emit(op.name(), operands, location, |builder, _, values| {
        check_regions(builder, &op)?;
        match (op, host) {
            (Op::CustomCall(call), Some(host)) => builder.host_call(*call, host, values),
            (op, _) => {
                check_slot(builder, &op)?;
                builder.add_many(op, values)
            }
        }
    });
    handles(values, count)
}

/// Checks that the regions of an op were traced in the region where the op is recorded.
fn check_regions(builder: &mut Builder<'_>, op: &Op) -> Rule<()> {
    let region = builder.region();
    let graph = builder.graph();
    for owned in op.regions() {
        let is_here =
            graph.regions.get(owned.index()).is_some_and(|owned| owned.parent == Some(region));
        if !is_here {
            return Err("a region was not traced where the op is recorded".into());
        }
    }
    Ok(())
}

/// Checks that a host function called by an op belongs to this trace.
fn check_slot(builder: &mut Builder<'_>, op: &Op) -> Rule<()> {
    match op.host_slot() {
        Some(slot) if slot >= builder.graph().host_calls.len() => {
            Err(format!("there is no function of the host in slot {slot}").into())
        }
        _ => Ok(()),
    }
}
