//! Loops whose number of steps is known.
//!
//! One step is traced together with its backward pass, in a region of its own. Its nodes are then
//! partitioned: those that depend on cotangents are the body of the *reverse loop*, and the others
//! are the body of the loop itself. Values of the step that the reverse loop needs are *residuals*,
//! which the loop stacks; elements of scanned operands are read again instead, and values that are
//! the same in all steps are computed once, before the loop. Cotangents of captured values are
//! summed over the steps.

use super::{
    cotangents::without_names,
    parts::Parts,
    pull::Pull,
    tape::{Reverse, Step, Tape, Tracked},
};
use crate::{
    DType, Shape, Tensor, ValueId,
    body::{Body, Recorded},
    graph::record_at,
    op::Scan,
    record,
    trace::{called_from, in_region, shape_of},
};
use std::rc::Rc;

/// A loop in the form of a scan.
pub(crate) struct Loop<'a> {
    pub body: &'a Body,
    /// The parameters of the body: carried values, then elements.
    pub parameters: Vec<(ValueId, Shape)>,
    pub carried: usize,
    /// The axis of each scanned operand.
    pub axes: Vec<usize>,
    /// Carried values, then scanned operands.
    pub operands: Vec<Tracked>,
}

/// The reverse loop of a step.
pub(crate) struct ReverseLoop {
    /// The step with its backward pass. Its parameters are those of the step, then the cotangents
    /// of the results that `results` lists; its results are those of the step, then the cotangents
    /// of the parameters that `inputs` lists, then those of the captured values.
    joint: Body,
    /// The nodes of the backward pass.
    nodes: Vec<Rc<Recorded>>,
    /// Values that are the same in all steps.
    fixed: Vec<(ValueId, Tensor)>,
    /// Values of each step, stacked along a first axis.
    residuals: Vec<(ValueId, Tensor)>,
    /// The scanned operands that are read again, with their axes.
    elements: Vec<(ValueId, Tensor, usize)>,
    carried: usize,
    axes: Vec<usize>,
    /// The results of the step that have cotangents.
    results: Vec<usize>,
    /// The parameters of the step that have cotangents.
    inputs: Vec<usize>,
    /// The captured values that have cotangents.
    captured: Vec<usize>,
    count: usize,
}

impl Tape {
    /// Records a loop together with the values that its reverse loop needs.
    pub fn looped(&mut self, node: &Rc<Recorded>, looped: Loop<'_>) -> Vec<Tracked> {
        let captured = self.captured(node);
        let Some((results, reverse)) = self.parted(node, &looped, &captured) else {
            return vec![Tracked::constant(Tensor::poisoned()); node.results.len()];
        };
        let has_cotangent = |i: usize| reverse.results.contains(&i);
        let results: Vec<Tracked> = (results.into_iter().take(node.results.len()).enumerate())
            .map(
                |(i, tensor)| {
                    if has_cotangent(i) { self.track(tensor) } else { Tracked::constant(tensor) }
                },
            )
            .collect();
        self.push(Step {
            node: Rc::clone(node),
            operands: looped.operands,
            captured,
            results: results.clone(),
            residuals: Vec::new(),
            reverse: Some(Reverse::Loop(Box::new(reverse))),
        });
        results
    }

    /// Records the loop with its residuals.
    fn parted(
        &self,
        node: &Recorded,
        looped: &Loop<'_>,
        captured: &[(ValueId, Tracked)],
    ) -> Option<(Vec<Tensor>, ReverseLoop)> {
        let (location, body) = (node.location, looped.body);
        let active = looped.active(captured);
        let inputs: Vec<usize> =
            (0..looped.parameters.len()).filter(|&i| active.parameters[i]).collect();
        let results: Vec<usize> = (0..body.results.len()).filter(|&i| active.results[i]).collect();
        let wanted: Vec<usize> =
            (0..captured.len()).filter(|&i| captured[i].1.slot.is_some()).collect();
        let count = looped.parameters.len();
        let mut shapes: Vec<Shape> = looped.parameters.iter().map(|p| p.1).collect();
        shapes.extend(results.iter().map(|&i| active.shapes[i]));
        let (joint, ()) = in_region(node.op.name(), &shapes, location, |all| {
            let mut tape = Tape::default();
            let outside: Vec<Tracked> = tape.bind(captured);
            let own: Vec<Tracked> = (0..count)
                .map(|i| {
                    if active.parameters[i] {
                        tape.track(all[i])
                    } else {
                        Tracked::constant(all[i])
                    }
                })
                .collect();
            for (&(value, _), &own) in looped.parameters.iter().zip(&own) {
                tape.set(value, own);
            }
            let ends = tape.nodes(body);
            let pairs: Vec<(Tracked, Tensor)> =
                results.iter().zip(&all[count..]).map(|(&i, &g)| (ends[i], g)).collect();
            let cotangents = tape.pull(&pairs);
            let mut given: Vec<Tensor> = ends.iter().map(|end| end.tensor).collect();
            called_from(location, || {
                given.extend(inputs.iter().map(|&i| cotangents.of(own[i])));
                given.extend(wanted.iter().map(|&i| cotangents.unnamed(outside[i])));
            });
            (given, ())
        });
        let joint = Body::of(joint?)?;
        let parts = Parts::of(&joint, count, body.results.len());
        // Values that are the same in all steps.
        let mut copy = Tape::default();
        let mut fixed = Vec::new();
        for inner in &parts.fixed {
            let tensors = copy.copied(inner);
            for (&value, tensor) in inner.results.iter().zip(tensors) {
                copy.set(value, Tracked::constant(tensor));
                fixed.push((value, tensor));
            }
        }
        let elements: Vec<(ValueId, Tensor, usize)> = (looped.carried..count)
            .map(|i| (joint.parameters[i], looped.operands[i], looped.axes[i - looped.carried]))
            .map(|(value, operand, axis)| (value, operand.tensor, axis))
            .filter(|element| parts.needed.contains(&element.0))
            .collect();
        let is_element = |value: &ValueId| joint.parameters[looped.carried..].contains(value);
        let kept: Vec<ValueId> =
            parts.needed.iter().copied().filter(|value| !is_element(value)).collect();
        let (forward, ()) = in_region(node.op.name(), &shapes[..count], location, |parameters| {
            copy.replay(&joint.parameters[..count], parameters, &parts.forward);
            let ends = joint.results[..body.results.len()].iter().chain(&kept);
            (ends.map(|&value| copy.get(value).tensor).collect(), ())
        });
        let (carried, axes) = (looped.carried, looped.axes.clone());
        let op = Scan { body: forward?, carried, axes: axes.clone() };
        let operands: Vec<Tensor> = looped.operands.iter().map(|x| x.tensor).collect();
        let mut tensors = record_at(location, op.into(), &operands, None);
        let stacks = tensors.split_off(body.results.len().min(tensors.len()));
        let source = looped.operands.get(carried)?.tensor;
        let count = *shape_of(source)?.sizes().get(*axes.first()?)?;
        let residuals = kept.into_iter().zip(stacks).collect();
        let nodes = parts.backward;
        let captured = wanted;
        let reverse = ReverseLoop {
            joint,
            nodes,
            fixed,
            residuals,
            elements,
            carried,
            axes,
            results,
            inputs,
            captured,
            count,
        };
        Some((tensors, reverse))
    }
}

/// The reverse loop.
pub(crate) fn reversed(pull: &Pull<'_>) -> Vec<Option<Tensor>> {
    let step = pull.step;
    let Some(Reverse::Loop(reverse)) = &step.reverse else { return Vec::new() };
    let location = step.node.location;
    let backwards = |x: Tensor, axis: usize| x.reverse(axis as isize);
    let (ends, stacked): (Vec<usize>, Vec<usize>) =
        reverse.results.iter().partition(|&&i| i < reverse.carried);
    let (before, sources): (Vec<usize>, Vec<usize>) =
        reverse.inputs.iter().partition(|&&i| i < reverse.carried);
    // The cotangents of carried values, then sums of those of captured ones.
    let mut operands: Vec<Tensor> = ends.iter().map(|&i| pull.cotangent(i)).collect();
    let sums =
        reverse.captured.iter().map(|&i| without_names(step.captured[i].1.tensor).full_like(0));
    operands.extend(sums);
    let carried = operands.len();
    let mut axes = Vec::new();
    for &i in &stacked {
        operands.push(backwards(pull.cotangent(i), 0));
        axes.push(0);
    }
    for &(_, stack) in &reverse.residuals {
        operands.push(backwards(stack, 0));
        axes.push(0);
    }
    for &(_, source, axis) in &reverse.elements {
        operands.push(backwards(source, axis));
        axes.push(axis);
    }
    if axes.is_empty() {
        operands.push(Tensor::iota(DType::I32, [reverse.count], 0));
        axes.push(0);
    }
    let shapes: Option<Vec<Shape>> = operands.iter().map(|&x| shape_of(x)).collect();
    let Some(mut shapes) = shapes else { return Vec::new() };
    for (shape, &axis) in shapes[carried..].iter_mut().zip(&axes) {
        *shape = shape.without(axis);
    }
    let count = reverse.joint.parameters.len() - reverse.results.len();
    let given = &reverse.joint.parameters[count..];
    let found = &reverse.joint.results
        [reverse.joint.results.len() - reverse.inputs.len() - reverse.captured.len()..];
    let (body, ()) = in_region(step.node.op.name(), &shapes, location, |parameters| {
        let mut tape = Tape::default();
        for &(value, tensor) in &reverse.fixed {
            tape.set(value, Tracked::constant(tensor));
        }
        let (carries, elements) = parameters.split_at(carried);
        let named = reverse.residuals.iter().map(|residual| residual.0);
        let named = named.chain(reverse.elements.iter().map(|element| element.0));
        let values: Vec<ValueId> = given.iter().copied().chain(named).collect();
        let tensors: Vec<Tensor> = [&carries[..ends.len()], elements].concat();
        tape.replay(&values, &tensors, &reverse.nodes);
        let found: Vec<Tensor> =
            found.iter().map(|&value| without_names(tape.get(value).tensor)).collect();
        let (own, outside) = found.split_at(reverse.inputs.len());
        let (next, elements) = own.split_at(before.len());
        let sums = carries[ends.len()..].iter().zip(outside).map(|(&sum, &own)| sum + own);
        let sums: Vec<Tensor> = called_from(location, || sums.collect());
        ([next, &sums, elements].concat(), ())
    });
    let Some(body) = body else { return Vec::new() };
    let results = record(Scan { body, carried, axes }, &operands);
    let mut cotangents = vec![None; step.operands.len() + step.captured.len()];
    for (&i, &cotangent) in before.iter().zip(&results) {
        cotangents[i] = Some(without_names(cotangent));
    }
    for (&i, &cotangent) in reverse.captured.iter().zip(&results[before.len()..]) {
        cotangents[step.operands.len() + i] = Some(without_names(cotangent));
    }
    for (&i, &stack) in sources.iter().zip(&results[carried..]) {
        let axis = reverse.axes[i - reverse.carried];
        cotangents[i] = Some(without_names(backwards(stack, 0).moveaxis(0, axis as isize)));
    }
    cotangents
}
