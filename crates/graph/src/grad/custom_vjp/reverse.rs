//! The derivative of a function with a derivative of its own.

use super::Counts;
use crate::{
    Tensor, ValueId,
    body::{Body, Recorded},
    grad::{Pull, Step, Tape, Tracked, without_names},
    op::Composite,
    trace::called_from,
};
use std::{collections::HashSet, rc::Rc};

/// The nodes from which these values are computed, starting at the known values.
fn needed(body: &Body, values: &[ValueId], known: &HashSet<ValueId>) -> Vec<Rc<Recorded>> {
    let mut wanted: HashSet<ValueId> =
        values.iter().copied().filter(|value| !known.contains(value)).collect();
    let mut nodes = Vec::new();
    for node in body.nodes.iter().rev() {
        if node.results.iter().any(|result| wanted.contains(result)) {
            let free = node.regions.values().flat_map(Body::free);
            let uses = node.operands.iter().copied().chain(free);
            wanted.extend(uses.filter(|value| !known.contains(value)));
            nodes.push(Rc::clone(node));
        }
    }
    nodes.reverse();
    nodes
}

/// The forward pass of a function with its own derivative: the composite stays, so that
/// derivatives of the derivative are also its own.
pub(super) fn record(op: &Composite, tape: &mut Tape, node: &Rc<Recorded>) -> Vec<Tracked> {
    let counts = Counts::of(&op.attributes);
    let body = &node.regions[&op.body];
    let operands = tape.operands(node);
    let captured = &operands[counts.inputs + counts.results..];
    if let Some(depends) = captured.iter().find(|x| x.slot.is_some()) {
        let why = "`custom_vjp` uses a tensor of outside that depends on the inputs of the \
                   derivative; pass it as an argument, or stop its gradient";
        let poisoned =
            called_from(node.location, || crate::record_error("grad", &[depends.tensor], why));
        return vec![Tracked::constant(poisoned); node.results.len()];
    }
    let tensors = tape.copied(node);
    let (results, rest) = body.results.split_at(counts.results);
    let place = |values: &[ValueId], value| values.iter().position(|&own| own == value);
    let residuals = rest[..counts.residuals].iter().enumerate().map(|(i, &value)| {
        match (place(&body.parameters, value), place(results, value)) {
            (Some(input), _) => operands[input].tensor,
            (_, Some(result)) => tensors[result],
            _ => tensors[counts.results + i],
        }
    });
    let residuals = residuals.collect();
    tape.tracked_step(node, tensors, residuals)
}

/// The backward pass of a function with its own derivative.
pub(super) fn pull(op: &Composite, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
    let Step { node, operands, residuals, .. } = pull.step;
    let counts = Counts::of(&op.attributes);
    let (own, body) = (counts.results + counts.residuals, &node.regions[&op.body]);
    let (mut cotangents, of_results) = pulled_residuals(pull, counts, body);
    if of_results.iter().all(Option::is_none) {
        return cotangents;
    }
    let mut values = body.parameters.clone();
    let mut tensors: Vec<Tensor> = operands.iter().map(|x| x.tensor).collect();
    for (i, given) in of_results.into_iter().enumerate() {
        let axes = body.shapes[counts.inputs + i].axes();
        tensors[counts.inputs + i] = given.unwrap_or_else(|| pull.cotangent(i)).reshape(axes);
    }
    values.extend(&body.results[counts.results..own]);
    tensors.extend(residuals);
    let wanted: Vec<usize> = (0..counts.inputs).filter(|&i| pull.wants(i)).collect();
    let results: Vec<ValueId> = wanted.iter().map(|&i| body.results[own + i]).collect();
    let known: HashSet<ValueId> = values.iter().copied().collect();
    let mut tape = Tape::default();
    tape.replay(&values, &tensors, &needed(body, &results, &known));
    for (&i, cotangent) in wanted.iter().zip(tape.tensors(&results)) {
        let cotangent = without_names(cotangent);
        cotangents[i] = Some(cotangents[i].map_or(cotangent, |other| other + cotangent));
    }
    cotangents
}

/// The cotangents of the inputs and results for cotangents of the residuals, which occur in
/// derivatives of the derivative: by the ops that compute the residuals from the inputs and the
/// results.
fn pulled_residuals(
    pull: &Pull<'_>,
    counts: Counts,
    body: &Body,
) -> (Vec<Option<Tensor>>, Vec<Option<Tensor>>) {
    let step = pull.step;
    let of_results: Vec<_> = (0..counts.results).map(|i| pull.given(i)).collect();
    let own = counts.results + counts.residuals;
    let present: Vec<usize> = (counts.results..own).filter(|&i| pull.given(i).is_some()).collect();
    if present.is_empty() {
        return (vec![None; counts.inputs], of_results);
    }
    let mut tape = Tape::default();
    let mut track = |value: ValueId, from: Tracked| {
        let own = match from.slot {
            Some(_) => tape.track(from.tensor),
            None => Tracked::constant(from.tensor),
        };
        tape.set(value, own);
        own
    };
    let results: Vec<Tracked> =
        (0..counts.results).map(|i| track(body.results[i], step.results[i])).collect();
    let inputs: Vec<Tracked> = body
        .parameters
        .iter()
        .zip(&step.operands)
        .map(|(&parameter, &operand)| track(parameter, operand))
        .collect();
    let known: HashSet<ValueId> =
        body.parameters.iter().chain(&body.results[..counts.results]).copied().collect();
    let residuals: Vec<ValueId> = present.iter().map(|&i| body.results[i]).collect();
    tape.record(&needed(body, &residuals, &known));
    let pairs: Vec<(Tracked, Tensor)> = present
        .iter()
        .zip(&residuals)
        .map(|(&i, &value)| (tape.get(value), pull.cotangent(i)))
        .collect();
    let found = tape.pull(&pairs);
    let sum = |(given, result): (Option<Tensor>, &Tracked)| match (given, found.get(*result)) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    };
    let of_inputs = inputs[..counts.inputs].iter().map(|&input| found.get(input)).collect();
    (of_inputs, of_results.into_iter().zip(&results).map(sum).collect())
}
