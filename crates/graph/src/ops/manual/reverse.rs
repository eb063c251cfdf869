//! The derivative of manual computations.
//!
//! A manual computation is traced together with its backward pass, like the step of a loop. The
//! values that the backward pass needs from each device are joined along a first axis. A result
//! that is the same on several devices counts as their mean: each device gets an equal part of its
//! cotangent. The cotangent of an input is the sum over the devices that have the same part of it.

use crate::{
    Manual, MeshShape, Name, PartitionSpec, PerAxis, RegionKind, ResolvedSharding, Shape, Tensor,
    ValueId,
    body::{Body, Recorded},
    grad::{Parts, Pull, Reverse, Step, Tape, Tracked, Vjp, without_names},
    graph::record_at,
    ops::collective::summed,
    record,
    trace::{self, called_from, in_region_of, region_parameter, shape_of},
};
use std::rc::Rc;

/// The backward pass of a manual computation.
pub(crate) struct ReverseManual {
    /// The body with its backward pass. Its parameters are those of the body, then the cotangents
    /// of the results that `results` lists; its results are those of the body, then the cotangents
    /// of the operands that `inputs` lists.
    joint: Body,
    /// The nodes of the backward pass.
    nodes: Vec<Rc<Recorded>>,
    /// The operands of the forward pass that the backward pass takes too.
    operands: Vec<usize>,
    /// Values of each device, with the shapes of its parts, joined along the first axis.
    residuals: Vec<(ValueId, Shape, Tensor)>,
    results: Vec<usize>,
    inputs: Vec<usize>,
    mesh: MeshShape,
}

/// The mesh axes that do not split a value.
fn unnamed(sharding: &ResolvedSharding, mesh: &MeshShape) -> PerAxis<usize> {
    let splits = |axis: usize| {
        let mut all = (0..sharding.rank()).flat_map(|own| sharding.splits(own));
        all.any(|split| usize::from(split.mesh_axis) == axis)
    };
    let axes = mesh.sizes().iter().enumerate().filter(|&(axis, &size)| size > 1 && !splits(axis));
    PerAxis::collect(axes.map(|(axis, _)| axis))
}

/// The sharding of a value whose first axis has a part for each device.
fn of_all_devices(rank: usize, mesh: &MeshShape) -> Option<ResolvedSharding> {
    let names: Vec<Name> = mesh.axes().map(|(name, _)| name).collect();
    let shape = Shape::new(crate::DType::Bool, vec![1; rank]).ok()?;
    PartitionSpec::shard(0, &names).place(&shape, mesh).ok()
}

impl Vjp for Manual {
    fn record(&self, tape: &mut Tape, node: &Rc<Recorded>) -> Vec<Tracked> {
        // The partitions of programs that were read from files may split along parts of mesh axes.
        let is_whole = |sharding: &ResolvedSharding, mesh: &MeshShape| {
            let mut splits = (0..sharding.rank()).flat_map(|axis| sharding.splits(axis));
            splits.all(|split| split.is_whole(mesh))
        };
        let mut all = self.inputs.iter().chain(&self.outputs);
        if trace::mesh().is_some_and(|mesh| !all.all(|own| is_whole(own, &mesh))) {
            let why = "`manual` has no derivative where a part of a mesh axis splits a value";
            let poisoned = called_from(node.location, || crate::record_error("grad", &[], why));
            return vec![Tracked::constant(poisoned); node.results.len()];
        }
        let operands = tape.operands(node);
        let Some((results, reverse)) = self.with_residuals(&operands, node) else {
            return vec![Tracked::constant(Tensor::poisoned()); node.results.len()];
        };
        let results: Vec<Tracked> = (results.into_iter().enumerate())
            .map(|(i, tensor)| {
                if reverse.results.contains(&i) {
                    tape.track(tensor)
                } else {
                    Tracked::constant(tensor)
                }
            })
            .collect();
        tape.push(Step {
            node: Rc::clone(node),
            operands,
            captured: Vec::new(),
            results: results.clone(),
            residuals: Vec::new(),
            reverse: Some(Reverse::Manual(Box::new(reverse))),
        });
        results
    }

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let step = pull.step;
        let Some(Reverse::Manual(reverse)) = &step.reverse else { return Vec::new() };
        let (joint, mesh, location) = (&reverse.joint, &reverse.mesh, step.node.location);
        let mut values: Vec<ValueId> =
            reverse.operands.iter().map(|&i| joint.parameters[i]).collect();
        let mut operands: Vec<Tensor> =
            reverse.operands.iter().map(|&i| step.operands[i].tensor).collect();
        let mut inputs: Vec<ResolvedSharding> =
            reverse.operands.iter().map(|&i| self.inputs[i]).collect();
        let again = values.len();
        for &(value, shape, tensor) in &reverse.residuals {
            let Some(sharding) = of_all_devices(shape.rank().max(1), mesh) else {
                return Vec::new();
            };
            values.push(value);
            operands.push(tensor);
            inputs.push(sharding);
        }
        let count = step.operands.len();
        for (i, &result) in reverse.results.iter().enumerate() {
            values.push(joint.parameters[count + i]);
            operands.push(pull.cotangent(result));
            inputs.push(self.outputs[result]);
        }
        let whole: Option<Vec<Shape>> = operands.iter().map(|&x| shape_of(x)).collect();
        let Some(whole) = whole else { return Vec::new() };
        let local: Vec<Shape> = whole
            .iter()
            .zip(&inputs)
            .map(|(shape, sharding)| sharding.local(shape, mesh))
            .collect();
        let (body, ()) =
            in_region_of("manual", RegionKind::Manual, &local, &[], location, |parameters| {
                let residual = |i: usize| reverse.residuals.get(i.checked_sub(again)?);
                let own = |(i, &x): (usize, &Tensor)| match residual(i) {
                    Some((_, shape, _)) => x.reshape(shape.axes()),
                    None => x,
                };
                let own: Vec<Tensor> = parameters.iter().enumerate().map(own).collect();
                let mut tape = Tape::default();
                tape.replay(&values, &own, &reverse.nodes);
                let first = joint.results.len() - reverse.inputs.len();
                (tape.tensors(&joint.results[first..]), ())
            });
        let Some(body) = body else { return Vec::new() };
        let outputs = reverse.inputs.iter().map(|&i| self.inputs[i]).collect();
        let results = record(Manual { body, inputs, outputs }, &operands);
        let mut cotangents = vec![None; step.operands.len()];
        for (&i, cotangent) in reverse.inputs.iter().zip(results) {
            cotangents[i] = Some(without_names(cotangent));
        }
        cotangents
    }
}

impl Manual {
    /// Records the computation with its residuals.
    fn with_residuals(
        &self,
        operands: &[Tracked],
        node: &Recorded,
    ) -> Option<(Vec<Tensor>, ReverseManual)> {
        let (location, body) = (node.location, &node.regions[&self.body]);
        let mesh = trace::mesh()?;
        let inputs: Vec<usize> =
            (0..operands.len()).filter(|&i| operands[i].slot.is_some()).collect();
        let kind = RegionKind::Manual;
        let (joint, results) =
            in_region_of("manual", kind, &body.shapes, &[], location, |parameters| {
                let mut tape = Tape::default();
                let own: Vec<Tracked> = (parameters.iter().zip(operands))
                    .map(|(&x, outside)| match outside.slot {
                        Some(_) => tape.track(x),
                        None => Tracked::constant(x),
                    })
                    .collect();
                let ends = tape.run(body, &own);
                let has_cotangent = |&i: &usize| ends[i].slot.is_some();
                let results: Vec<usize> = (0..ends.len()).filter(has_cotangent).collect();
                let mut all: Vec<Tensor> = ends.iter().map(|end| end.tensor).collect();
                called_from(location, || {
                    let part = |&i: &usize| {
                        let shape = shape_of(ends[i].tensor)?.unnamed();
                        let cotangent = region_parameter(shape, location);
                        let copies = unnamed(&self.outputs[i], &mesh);
                        let count: usize = copies.iter().map(|&axis| mesh.sizes()[axis]).product();
                        Some((ends[i], if count > 1 { cotangent / count } else { cotangent }))
                    };
                    let pairs: Vec<(Tracked, Tensor)> = results.iter().filter_map(part).collect();
                    let found = tape.pull(&pairs);
                    all.extend(inputs.iter().map(|&i| match found.get(own[i]) {
                        Some(cotangent) => summed(cotangent, unnamed(&self.inputs[i], &mesh)),
                        None => found.unnamed(own[i]),
                    }));
                });
                (all, results)
            });
        let joint = Body::of(joint?)?;
        let count = operands.len();
        let Parts { fixed, forward, backward, needed } =
            Parts::of(&joint, count, body.results.len());
        let place = |value: &ValueId| joint.parameters[..count].iter().position(|p| p == value);
        let again: Vec<usize> = needed.iter().filter_map(place).collect();
        let kept: Vec<ValueId> =
            needed.iter().copied().filter(|value| place(value).is_none()).collect();
        let mut shapes = Vec::new();
        let (region, ()) =
            in_region_of("manual", kind, &body.shapes, &[], location, |parameters| {
                let mut tape = Tape::default();
                tape.replay(&joint.parameters[..count], parameters, &fixed);
                tape.replay(&[], &[], &forward);
                let mut all = tape.tensors(&joint.results[..body.results.len()]);
                for tensor in tape.tensors(&kept) {
                    shapes.extend(shape_of(tensor));
                    all.push(called_from(location, || match tensor.rank() {
                        0 => tensor.reshape([1]),
                        _ => tensor,
                    }));
                }
                (all, ())
            });
        let mut outputs = self.outputs.clone();
        for shape in &shapes {
            outputs.push(of_all_devices(shape.rank().max(1), &mesh)?);
        }
        let manual = Manual { body: region?, inputs: self.inputs.clone(), outputs };
        let tensors: Vec<Tensor> = operands.iter().map(|x| x.tensor).collect();
        let mut tensors = record_at(location, manual.into(), &tensors, None);
        let joined = tensors.split_off(body.results.len().min(tensors.len()));
        let residuals = kept.into_iter().zip(shapes).zip(joined);
        let residuals = residuals.map(|((value, shape), tensor)| (value, shape, tensor)).collect();
        let nodes = [fixed, backward].concat();
        let reverse =
            ReverseManual { joint, nodes, operands: again, residuals, results, inputs, mesh };
        Some((tensors, reverse))
    }
}
