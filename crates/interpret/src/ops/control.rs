//! Loops and branches. Devices that leave a loop, or take another branch, keep their own values.

use crate::{
    Array,
    evaluate::Evaluate,
    machine::{Evaluated, Machine, Shared},
    number::Number,
};
use hloom_graph::{
    DType, NodeId, Shape,
    op::{Argument, Case, Composite, ForLoop, OptimizationBarrier, Scan, While},
};
use std::rc::Rc;

fn while_loop(m: &mut Machine<'_, '_>, n: NodeId, repeat: &While) -> Evaluated<()> {
    let devices = m.devices.clone();
    let mut carried: Vec<Vec<Shared>> =
        devices.iter().map(|&device| m.operands(n, device)).collect();
    // The positions in `devices` of the devices that are still in the loop.
    let mut inside: Vec<usize> = (0..devices.len()).collect();
    loop {
        m.charge(n, inside.len())?;
        let on = |inside: &[usize]| inside.iter().map(|&at| devices[at]).collect::<Vec<usize>>();
        let arguments = |inside: &[usize], carried: &[Vec<Shared>]| {
            inside.iter().map(|&at| carried[at].clone()).collect::<Vec<_>>()
        };
        let goes_on = m.region(repeat.cond, &on(&inside), arguments(&inside, &carried))?;
        let staying = inside.iter().zip(goes_on);
        let staying = staying.filter(|(_, decision)| decision[0].scalar().is_true());
        inside = staying.map(|(&at, _)| at).collect();
        if inside.is_empty() {
            break;
        }
        let next = m.region(repeat.body, &on(&inside), arguments(&inside, &carried))?;
        for (&at, next) in inside.iter().zip(next) {
            carried[at] = next;
        }
    }
    for (device, results) in devices.into_iter().zip(carried) {
        m.set(n, device, results);
    }
    Ok(())
}

/// An `i32` scalar.
fn index(value: usize) -> Shared {
    let bits = Number::Int(value as i128).encode(DType::I32);
    Rc::new(Array::of(Shape::scalar(DType::I32), vec![bits]))
}

fn for_loop(m: &mut Machine<'_, '_>, n: NodeId, repeat: &ForLoop) -> Evaluated<()> {
    let devices = m.devices.clone();
    let mut carried: Vec<Vec<Shared>> =
        devices.iter().map(|&device| m.operands(n, device)).collect();
    for i in 0..repeat.count {
        m.charge(n, devices.len())?;
        let arguments = carried.into_iter();
        let arguments = arguments.map(|values| [vec![index(i)], values].concat()).collect();
        carried = m.region(repeat.body, &devices, arguments)?;
    }
    for (device, results) in devices.into_iter().zip(carried) {
        m.set(n, device, results);
    }
    Ok(())
}

fn scan(m: &mut Machine<'_, '_>, n: NodeId, scan: &Scan) -> Evaluated<()> {
    let devices = m.devices.clone();
    let operands: Vec<Vec<Shared>> = devices.iter().map(|&device| m.operands(n, device)).collect();
    let shapes = m.result_shapes(n);
    let count = operands.first().map_or(0, |all| all[scan.carried].sizes()[scan.axes[0]]);
    let mut carried: Vec<Vec<Shared>> =
        operands.iter().map(|all| all[..scan.carried].to_vec()).collect();
    let stacked = &shapes[scan.carried..];
    let made: usize = stacked.iter().map(Shape::element_count).sum();
    m.charge(n, made.saturating_mul(devices.len()))?;
    let mut rows: Vec<Vec<Vec<u128>>> = vec![vec![Vec::new(); stacked.len()]; devices.len()];
    for i in 0..count {
        m.charge(n, devices.len())?;
        let arguments = operands.iter().zip(&carried).map(|(all, carried)| {
            let sources = all[scan.carried..].iter().zip(&scan.axes);
            let elements = sources.map(|(source, &axis)| Rc::new(element(source, axis, i)));
            carried.iter().cloned().chain(elements).collect()
        });
        let arguments = arguments.collect();
        let results = m.region(scan.body, &devices, arguments)?;
        for (at, mut results) in results.into_iter().enumerate() {
            for (all, row) in rows[at].iter_mut().zip(results.split_off(scan.carried)) {
                all.extend(row.elements());
            }
            carried[at] = results;
        }
    }
    for ((device, carried), rows) in devices.into_iter().zip(carried).zip(rows) {
        let stacked = stacked.iter().zip(rows);
        let stacked = stacked.map(|(&shape, all)| Rc::new(Array::of(shape, all)));
        m.set(n, device, carried.into_iter().chain(stacked));
    }
    Ok(())
}

/// The tensor at an index along an axis, which is removed.
fn element(source: &Array, axis: usize, index: usize) -> Array {
    let kept = |at: &usize| *at != axis;
    let shape = source.shape();
    let axes = (0..shape.rank()).filter(kept).map(|at| (shape.names()[at], shape.sizes()[at]));
    let dims = hloom_graph::Dims::new(axes);
    let dims = dims.expect("a part of the axes of a shape is those of one");
    Array::from_fn(shape.with_dims(dims), |position| {
        let mut from = position.to_vec();
        from.insert(axis, index);
        source.at(&from)
    })
}

fn case(m: &mut Machine<'_, '_>, n: NodeId, case: &Case) -> Evaluated<()> {
    let devices = m.devices.clone();
    let last = case.branches.len() - 1;
    for (branch, &body) in case.branches.iter().enumerate() {
        let takes = |&device: &usize| {
            let index = m.operands(n, device)[0].scalar().int();
            // An index out of range selects the last branch.
            usize::try_from(index).map_or(last, |index| index.min(last)) == branch
        };
        let taking: Vec<usize> = devices.iter().copied().filter(takes).collect();
        if taking.is_empty() {
            continue;
        }
        let results = m.region(body, &taking, vec![Vec::new(); taking.len()])?;
        for (device, results) in taking.into_iter().zip(results) {
            m.set(n, device, results);
        }
    }
    Ok(())
}

impl Evaluate for Argument {
    /// Arguments are set before the nodes of their region are evaluated.
    fn evaluate(&self, _: &mut Machine<'_, '_>, _: NodeId) -> Evaluated<()> {
        Ok(())
    }
}

impl Evaluate for While {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        while_loop(m, n, self)
    }
}

impl Evaluate for ForLoop {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        for_loop(m, n, self)
    }
}

impl Evaluate for Scan {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        scan(m, n, self)
    }
}

impl Evaluate for Case {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        case(m, n, self)
    }
}

impl Evaluate for OptimizationBarrier {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        for device in m.devices.clone() {
            let operands = m.operands(n, device);
            m.set(n, device, operands);
        }
        Ok(())
    }
}

impl Evaluate for Composite {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        let devices = m.devices.clone();
        let arguments = devices.iter().map(|&device| m.operands(n, device)).collect();
        let results = m.region(self.body, &devices, arguments)?;
        for (device, results) in devices.into_iter().zip(results) {
            m.set(n, device, results);
        }
        Ok(())
    }
}
