//! Sorts, all of which are stable.

use super::total_order;
use crate::{
    Array, InterpretError,
    array::positions,
    evaluate::Evaluate,
    machine::{Evaluated, Machine},
    number::Number,
};
use hloom_graph::{
    NodeId, Shape,
    op::{Sort, TopK},
};
use std::cmp::Ordering;

/// Tensors of the same sizes with each line along an axis reordered: `order` returns the positions
/// in the line, in their new order.
pub(super) fn reordered(
    shapes: &[Shape],
    axis: usize,
    tensors: &[&Array],
    mut order: impl FnMut(&[Vec<usize>]) -> Evaluated<Vec<usize>>,
) -> Evaluated<Vec<Array>> {
    let mut sorted: Vec<Array> =
        tensors.iter().zip(shapes).map(|(x, &shape)| x.reshaped(shape)).collect();
    let sizes = tensors[0].sizes();
    let mut first = sizes.to_vec();
    first[axis] = first[axis].min(1);
    for start in positions(&first) {
        let along = |i: usize| {
            let mut position = start.clone();
            position[axis] = i;
            position
        };
        let line: Vec<Vec<usize>> = (0..sizes[axis]).map(along).collect();
        for (to, from) in order(&line)?.into_iter().enumerate() {
            for (sorted, tensor) in sorted.iter_mut().zip(tensors) {
                sorted.set(&line[to], tensor.at(&line[from]));
            }
        }
    }
    Ok(sorted)
}

/// The positions from 0 to `count` in the order of `is_before`, by merge sort. It ends with some
/// order for any results of `is_before`.
pub(super) fn stable_order<E>(
    count: usize,
    mut is_before: impl FnMut(usize, usize) -> Result<bool, E>,
) -> Result<Vec<usize>, E> {
    let mut runs: Vec<Vec<usize>> = (0..count).map(|place| vec![place]).collect();
    while runs.len() > 1 {
        let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
        for pair in runs.chunks(2) {
            let [left, right] = pair else {
                merged.push(pair[0].clone());
                continue;
            };
            let (mut i, mut j) = (0, 0);
            let mut run = Vec::with_capacity(left.len() + right.len());
            while i < left.len() && j < right.len() {
                if is_before(right[j], left[i])? {
                    run.push(right[j]);
                    j += 1;
                } else {
                    run.push(left[i]);
                    i += 1;
                }
            }
            run.extend(&left[i..]);
            run.extend(&right[j..]);
            merged.push(run);
        }
        runs = merged;
    }
    Ok(runs.pop().unwrap_or_default())
}

/// Sorts by the first operand as the key, with NaN as the largest number.
fn sort(shapes: &[Shape], sort: &Sort, tensors: &[&Array]) -> Vec<Array> {
    let Some(keys) = tensors.first() else { return Vec::new() };
    let wins = if sort.descending { Ordering::Greater } else { Ordering::Less };
    let order = |line: &[Vec<usize>]| {
        stable_order(line.len(), |left, right| {
            let order = total_order(keys.number(&line[left]), keys.number(&line[right]));
            Ok::<bool, InterpretError>(order == wins)
        })
    };
    reordered(shapes, sort.axis, tensors, order).expect("comparisons of numbers do not fail")
}

/// The largest elements of the last axis by the total order of floats, and their indices.
fn top_k(shapes: &[Shape], k: usize, x: &Array) -> Vec<Array> {
    let axis = x.sizes().len() - 1;
    let mut lines = x.sizes().to_vec();
    lines[axis] = lines[axis].min(1);
    let (mut values, mut indices) = (Vec::new(), Vec::new());
    for mut position in positions(&lines) {
        let mut at = |i: usize| {
            position[axis] = i;
            x.at(&position)
        };
        let line: Vec<u128> = (0..x.sizes()[axis]).map(&mut at).collect();
        let mut order: Vec<usize> = (0..line.len()).collect();
        let value = |i: &usize| f32::from_bits(line[*i] as u32);
        order.sort_by(|left, right| value(right).total_cmp(&value(left)));
        for &from in &order[..k] {
            values.push(line[from]);
            indices.push(Number::Int(from as i128).encode(shapes[1].dtype()));
        }
    }
    vec![Array::of(shapes[0], values), Array::of(shapes[1], indices)]
}

impl Evaluate for Sort {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.each(n, |x, shapes| Ok(sort(shapes, self, x)))
    }
}

impl Evaluate for TopK {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.charge_operands(n)?;
        m.each(n, |x, shapes| Ok(top_k(shapes, self.k, x[0])))
    }
}
