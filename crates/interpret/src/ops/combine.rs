//! Reductions, scatters and sorts by bodies of the program.
//!
//! Reductions begin with the initial values, and combine elements in row-major order.

use super::{
    reduce::kept,
    scatter::{Placement, update_window},
    sort::{reordered, stable_order},
    window::window_positions,
};
use crate::{
    Array,
    array::positions,
    evaluate::Evaluate,
    machine::{Evaluated, Machine, Shared},
};
use hloom_graph::{
    NodeId, Shape,
    op::{ReduceBy, ReduceWindowBy, ScatterBy, SortBy},
};
use std::rc::Rc;

/// The scalars of tensors at a position.
fn scalars(tensors: &[Shared], position: &[usize]) -> Vec<Shared> {
    tensors.iter().map(|tensor| Rc::new(tensor.scalar_at(position))).collect()
}

/// Scalars by position, for each of several tensors.
fn assembled(shapes: &[Shape], elements: Vec<Vec<Shared>>) -> Vec<Shared> {
    let tensor = |(i, &shape): (usize, &Shape)| {
        let bits = elements.iter().map(|scalars| scalars[i].at(&[]));
        Rc::new(Array::of(shape, bits.collect()))
    };
    shapes.iter().enumerate().map(tensor).collect()
}

fn reduce_by(m: &mut Machine<'_, '_>, n: NodeId, reduce: &ReduceBy) -> Evaluated<()> {
    let shapes = m.result_shapes(n);
    for device in m.devices.clone() {
        let operands = m.operands(n, device);
        let (values, init) = operands.split_at(shapes.len());
        m.charge(n, values[0].shape().element_count())?;
        let mut all = vec![init.to_vec(); shapes[0].element_count()];
        for position in positions(values[0].sizes()) {
            let to = kept(&position, &reduce.axes);
            let to = crate::array::flat_index(shapes[0].sizes(), &to);
            let arguments = [&all[to][..], &scalars(values, &position)].concat();
            all[to] = m.region_on(reduce.body, device, arguments)?;
        }
        m.set(n, device, assembled(&shapes, all));
    }
    Ok(())
}

fn reduce_window_by(m: &mut Machine<'_, '_>, n: NodeId, reduce: &ReduceWindowBy) -> Evaluated<()> {
    let shapes = m.result_shapes(n);
    let offsets = positions(&reduce.window.sizes);
    for device in m.devices.clone() {
        let operands = m.operands(n, device);
        let (values, init) = operands.split_at(shapes.len());
        m.charge(n, super::window::visited(&reduce.window, shapes[0]))?;
        let mut all = Vec::new();
        for at in positions(shapes[0].sizes()) {
            let mut combined = init.to_vec();
            // Padding holds the initial values, which are combined as elements are.
            for from in window_positions(&reduce.window, &offsets, values[0].sizes(), &at) {
                let element = from.map_or_else(|| init.to_vec(), |from| scalars(values, &from));
                let arguments = [combined, element].concat();
                combined = m.region_on(reduce.body, device, arguments)?;
            }
            all.push(combined);
        }
        m.set(n, device, assembled(&shapes, all));
    }
    Ok(())
}

fn scatter_by(m: &mut Machine<'_, '_>, n: NodeId, scatter: &ScatterBy) -> Evaluated<()> {
    let shapes = m.result_shapes(n);
    for device in m.devices.clone() {
        let operands = m.operands(n, device);
        let (into, rest) = operands.split_at(shapes.len());
        let (indices, updates) = (&rest[0], &rest[1..]);
        m.charge(n, updates[0].shape().element_count())?;
        let mut all: Vec<Array> =
            into.iter().zip(&shapes).map(|(x, &shape)| x.reshaped(shape)).collect();
        let window = update_window(&scatter.dims, updates[0].sizes());
        for position in positions(updates[0].sizes()) {
            let placement = Placement::of(&scatter.dims, indices, into[0].sizes(), &window);
            let Some(to) = placement.position(&position) else { continue };
            let held = all.iter().map(|x| Rc::new(x.scalar_at(&to)));
            let arguments = held.chain(scalars(updates, &position)).collect();
            let results = m.region_on(scatter.body, device, arguments)?;
            for (x, result) in all.iter_mut().zip(results) {
                x.set(&to, result.at(&[]));
            }
        }
        m.set(n, device, all.into_iter().map(Rc::new));
    }
    Ok(())
}

fn sort_by(m: &mut Machine<'_, '_>, n: NodeId, sort: &SortBy) -> Evaluated<()> {
    let shapes = m.result_shapes(n);
    for device in m.devices.clone() {
        let operands = m.operands(n, device);
        m.charge(n, operands[0].shape().element_count())?;
        let tensors: Vec<&Array> = operands.iter().map(|operand| &**operand).collect();
        let sorted = reordered(&shapes, sort.axis, &tensors, |line| {
            stable_order(line.len(), |left, right| {
                let arguments = [scalars(&operands, &line[left]), scalars(&operands, &line[right])];
                m.charge(n, 1)?;
                let decision = m.region_on(sort.body, device, arguments.concat())?;
                Ok(decision[0].scalar().is_true())
            })
        })?;
        m.set(n, device, sorted.into_iter().map(Rc::new));
    }
    Ok(())
}

impl Evaluate for ReduceBy {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        reduce_by(m, n, self)
    }
}

impl Evaluate for ReduceWindowBy {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        reduce_window_by(m, n, self)
    }
}

impl Evaluate for SortBy {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        sort_by(m, n, self)
    }
}

impl Evaluate for ScatterBy {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        scatter_by(m, n, self)
    }
}
