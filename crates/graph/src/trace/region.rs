//! Bodies of ops, traced in regions of their own.

use super::{MAX_NESTING, Traces, emit, named_scope::innermost, with_traces_mut};
use crate::{RegionId, RegionKind, Shape, Tensor};
use std::panic::Location;

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

/// As [`in_region`], with a region kind. `operands` are the operands of the op, if the parameters
/// are exactly these: errors in the body name them.
pub(crate) fn in_region_of<R>(
    op: &'static str,
    kind: RegionKind,
    shapes: &[Shape],
    operands: &[Tensor],
    location: &'static Location<'static>,
    body: impl FnOnce(&[Tensor]) -> (Vec<Tensor>, R),
) -> (Option<RegionId>, R) {
    let (mut body, mut rest) = (Some(body), None);
    let region = run_body(op, kind, shapes, operands, location, &mut |own| {
        let Some(body) = body.take() else { return Vec::new() };
        let (results, more) = body(own);
        rest = Some(more);
        results
    });
    (region, rest.expect("the body runs once"))
}

/// As [`in_region_of`]; `body` is called once and returns the results.
fn run_body(
    op: &'static str,
    kind: RegionKind,
    shapes: &[Shape],
    operands: &[Tensor],
    location: &'static Location<'static>,
    body: &mut dyn FnMut(&[Tensor]) -> Vec<Tensor>,
) -> Option<RegionId> {
    let Some((opened, parameters)) = OpenRegion::begin(op, kind, shapes, operands, location) else {
        body(&vec![Tensor::poisoned(); shapes.len()]);
        return None;
    };
    let results = body(&parameters);
    opened.finish(op, &results, location)
}

/// A region whose body is being traced; it is closed also when the body panics.
struct OpenRegion {
    trace: u32,
    region: RegionId,
}

impl OpenRegion {
    /// Opens a region in the innermost trace, and returns its parameters too; `None` if there is no
    /// trace, or bodies are nested too deeply, which it records as an error.
    fn begin(
        op: &'static str,
        kind: RegionKind,
        shapes: &[Shape],
        operands: &[Tensor],
        location: &'static Location<'static>,
    ) -> Option<(OpenRegion, Vec<Tensor>)> {
        with_traces_mut(|traces| {
            let location = innermost(traces.caller, location);
            let Traces { open, scopes, .. } = traces;
            let trace = open.last_mut()?;
            // The first region is the function itself.
            if trace.regions.len() > MAX_NESTING {
                let message = format!("bodies are nested more than {MAX_NESTING} deep");
                trace.record_error(op, &[], location, message, scopes);
                return None;
            }
            let region = trace.graph.open_region(trace.region());
            trace.graph.regions[region.index()].kind = kind;
            trace.regions.push(region);
            let is_usable = |tensor: &Tensor| tensor.trace_id() == trace.id && !tensor.has_failed();
            if !operands.is_empty() && operands.iter().all(is_usable) {
                let operands = operands.iter().map(|tensor| tensor.value()).collect();
                trace.bound.push((region, operands));
            }
            let parameter = |&shape: &Shape| {
                Tensor::new(trace.id, trace.graph.parameter(region, shape, location))
            };
            let parameters = shapes.iter().map(parameter).collect();
            Some((OpenRegion { trace: trace.id, region }, parameters))
        })
    }

    /// Closes the region with these results, and returns it if they are usable.
    fn finish(
        self,
        op: &'static str,
        results: &[Tensor],
        location: &'static Location<'static>,
    ) -> Option<RegionId> {
        emit(op, results, location, |builder, _, values| {
            builder.graph.regions[self.region.index()].results = values.to_vec();
            Ok(self.region)
        })
    }
}

impl Drop for OpenRegion {
    fn drop(&mut self) {
        with_traces_mut(|traces| {
            if let Some(trace) = traces.open.iter_mut().find(|t| t.id == self.trace) {
                let closed = trace.regions.pop();
                trace.bound.retain(|(body, _)| Some(*body) != closed);
            }
        });
    }
}

/// Adds a parameter to the innermost open region.
pub(crate) fn region_parameter(shape: Shape, location: &'static Location<'static>) -> Tensor {
    let value = with_traces_mut(|traces| {
        let location = innermost(traces.caller, location);
        let trace = traces.open.last_mut()?;
        let region = trace.region();
        Some(trace.graph.parameter(region, shape, location))
    });
    Tensor::or_poisoned(value)
}
