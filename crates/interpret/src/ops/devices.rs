//! Manual bodies, which run on parts of tensors on each device, and collectives between devices.

use super::{arithmetic::combined, movement};
use crate::{
    Array, InterpretError,
    array::positions,
    evaluate::Evaluate,
    machine::{Evaluated, Machine, Shared},
    number::Number,
};
use hloom_graph::{Collective, Manual, MeshShape, NodeId, ResolvedSharding, Shape};
use std::{collections::HashMap, rc::Rc};

fn manual(m: &mut Machine<'_, '_>, n: NodeId, manual: &Manual) -> Evaluated<()> {
    let mesh = m.graph.mesh().expect("the shape rule of `manual` requires a mesh");
    let devices: Vec<usize> = (0..mesh.device_count()).collect();
    let shapes = m.result_shapes(n);
    let taken: usize = shapes.iter().map(Shape::element_count).sum();
    m.charge(n, taken.saturating_mul(devices.len()))?;
    let operands = m.operands(n, m.devices[0]);
    let parameters = &m.graph.region(manual.body).parameters;
    let locals: Vec<Shape> = parameters.iter().map(|&value| m.graph.shape(value)).collect();
    let parts = |&device: &usize| {
        let splits = operands.iter().zip(&manual.inputs).zip(&locals);
        let part = |((whole, split), &local): ((&Shared, &ResolvedSharding), &Shape)| {
            Rc::new(part(whole, split, local, device, &mesh))
        };
        splits.map(part).collect()
    };
    let arguments = devices.iter().map(parts).collect();
    let results = m.region(manual.body, &devices, arguments)?;
    let whole = |(i, &shape): (usize, &Shape)| {
        let parts = results.iter().map(|results| &*results[i]);
        Rc::new(joined(shape, &manual.outputs[i], parts, &mesh))
    };
    let whole: Vec<Shared> = shapes.iter().enumerate().map(whole).collect();
    for device in m.devices.clone() {
        m.set(n, device, whole.clone());
    }
    Ok(())
}

/// The part of a tensor on a device; zeros where it is padded.
fn part(
    whole: &Array,
    split: &ResolvedSharding,
    local: Shape,
    device: usize,
    mesh: &MeshShape,
) -> Array {
    let index = split.part(device, mesh);
    Array::from_fn(local, |position| {
        let along = |axis: usize| index[axis] * local.sizes()[axis] + position[axis];
        let from: Vec<usize> = (0..position.len()).map(along).collect();
        let is_padding = from.iter().zip(whole.sizes()).any(|(at, size)| at >= size);
        if is_padding { 0 } else { whole.at(&from) }
    })
}

/// Joins the parts of the devices to a tensor; of replicated parts, the first device's is used.
fn joined<'a>(
    shape: Shape,
    split: &ResolvedSharding,
    parts: impl Iterator<Item = &'a Array>,
    mesh: &MeshShape,
) -> Array {
    let mut whole = Array::of(shape, vec![0; shape.element_count()]);
    let mut is_set = HashMap::new();
    for (device, part) in parts.enumerate() {
        let index = split.part(device, mesh);
        if is_set.insert(index.to_vec(), device).is_some() {
            continue;
        }
        for position in positions(part.sizes()) {
            let along = |axis: usize| index[axis] * part.sizes()[axis] + position[axis];
            let to: Vec<usize> = (0..position.len()).map(along).collect();
            whole.set(&to, part.at(&position));
        }
    }
    whole
}

fn collective(m: &mut Machine<'_, '_>, n: NodeId, collective: &Collective) -> Evaluated<()> {
    let mesh = m.graph.mesh().expect("the shape rule of collectives requires a mesh");
    let shape = m.result_shapes(n)[0];
    let devices = m.devices.clone();
    for group in mesh.groups(collective.over()) {
        let present = group.iter().filter(|device| devices.contains(device)).count();
        if present == 0 {
            continue;
        }
        if present < group.len() {
            let location = m.graph.node(n).location;
            return Err(InterpretError::Divergent { op: collective.name(), location });
        }
        m.charge(n, shape.element_count().saturating_mul(group.len()))?;
        let values = |&device: &usize| m.operands(n, device).first().cloned();
        let values: Vec<Shared> = group.iter().filter_map(values).collect();
        for (place, &device) in group.iter().enumerate() {
            let result = received(collective, shape, &values, place, group.len());
            m.set(n, device, [Rc::new(result)]);
        }
    }
    Ok(())
}

/// The result of the device at a position in its group, from the values of the group.
fn received(
    collective: &Collective,
    shape: Shape,
    values: &[Shared],
    place: usize,
    count: usize,
) -> Array {
    let all: Vec<&Array> = values.iter().map(|value| &**value).collect();
    match collective {
        Collective::AllReduce { reduction, .. } => Array::from_fn(shape, |position| {
            reduced(*reduction, &all, position).encode(shape.dtype())
        }),
        Collective::AllGather { axis, .. } => movement::concatenate(shape, *axis, &all),
        Collective::ReduceScatter { reduction, axis, .. } => Array::from_fn(shape, |position| {
            let mut from = position.to_vec();
            from[*axis] += place * shape.sizes()[*axis];
            reduced(*reduction, &all, &from).encode(shape.dtype())
        }),
        Collective::AllToAll { split, concat, .. } => {
            // The axis that grows has one part from each device: the part for this device's
            // position.
            let grown = all[0].sizes()[*concat] / if split == concat { count } else { 1 };
            let own = all[0].sizes()[*split] / count;
            Array::from_fn(shape, |position| {
                let mut from = position.to_vec();
                let sender = position[*concat] / grown.max(1);
                from[*concat] = position[*concat] % grown.max(1);
                from[*split] += place * own;
                all[sender].at(&from)
            })
        }
        Collective::Permute { pairs, .. } => {
            match pairs.iter().find(|(_, target)| *target == place) {
                Some(&(source, _)) => all[source].reshaped(shape),
                None => Array::of(shape, vec![0; shape.element_count()]),
            }
        }
        Collective::Broadcast { source, .. } => all[*source].reshaped(shape),
        Collective::AxisIndex(_) => {
            let bits = Number::Int(place as i128).encode(shape.dtype());
            Array::of(shape, vec![bits])
        }
    }
}

/// The values of all devices at a position, combined in the order of the group.
fn reduced(reduction: hloom_graph::Reduction, all: &[&Array], position: &[usize]) -> Number {
    let rest = all[1..].iter().map(|x| x.number(position));
    rest.fold(all[0].number(position), |sum, number| combined(reduction, sum, number))
}

impl Evaluate for ResolvedSharding {
    /// Constraints place values on devices and do not change them.
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        for device in m.devices.clone() {
            let operand = Rc::clone(&m.operands(n, device)[0]);
            m.set(n, device, [operand]);
        }
        Ok(())
    }
}

impl Evaluate for Manual {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        manual(m, n, self)
    }
}

impl Evaluate for Collective {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        collective(m, n, self)
    }
}
