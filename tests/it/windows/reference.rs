//! Gathers and scatters by their definition, one element at a time.

use super::choice::Choice;
use crate::row_major::{flat, positions};
use hloom::ops::ScatterUpdate;

/// The elements of a slice: for each element of what is gathered, the operand's element at the
/// clamped start, and, if the slice fits as a whole at its own start, the one there.
pub struct Slices {
    clamped: Vec<usize>,
    exact: Vec<Option<usize>>,
}

pub fn slices(choice: &Choice) -> Slices {
    let dims = &choice.dims;
    let rank = choice.operand.len();
    let mut slices = Slices { clamped: Vec::new(), exact: Vec::new() };
    for at in positions(&choice.updates) {
        let is_offset = |axis: &usize| dims.offset_dims.contains(axis);
        let batch: Vec<usize> =
            (0..at.len()).filter(|axis| !is_offset(axis)).map(|axis| at[axis]).collect();
        let mut offsets = (0..at.len()).filter(is_offset).map(|axis| at[axis]);
        let mut start = vec![0i64; rank];
        for (element, &axis) in dims.start_index_map.iter().enumerate() {
            let mut place = batch.clone();
            if dims.index_vector_dim < choice.indices.len() {
                place.insert(dims.index_vector_dim, element);
            }
            start[axis] = choice.index_values[flat(&place, &choice.indices)];
        }
        let batches = dims.operand_batching_dims.iter().zip(&*dims.start_indices_batching_dims);
        for (&axis, &of) in batches {
            let place = if of > dims.index_vector_dim { of - 1 } else { of };
            start[axis] = batch[place] as i64;
        }
        let last = |axis: usize| choice.operand[axis] as i64 - dims.slice_sizes[axis] as i64;
        let fits = (0..rank).all(|axis| (0..=last(axis)).contains(&start[axis]));
        let mut clamped = Vec::new();
        for (axis, &start) in start.iter().enumerate() {
            let dropped = dims.collapsed_slice_dims.contains(&axis)
                || dims.operand_batching_dims.contains(&axis);
            let offset = if dropped { 0 } else { offsets.next().expect("one for each axis") };
            clamped.push(start.clamp(0, last(axis)) as usize + offset);
        }
        let clamped = flat(&clamped, &choice.operand);
        slices.clamped.push(clamped);
        slices.exact.push(fits.then_some(clamped));
    }
    slices
}

pub fn gathered(choice: &Choice, slices: &Slices) -> Vec<i32> {
    let values = choice.values();
    slices.clamped.iter().map(|&at| values[at]).collect()
}

pub fn filled(choice: &Choice, slices: &Slices, fill: i32) -> Vec<i32> {
    let values = choice.values();
    slices.exact.iter().map(|at| at.map_or(fill, |at| values[at])).collect()
}

/// The possible values of each element.
pub fn scattered(choice: &Choice, update: ScatterUpdate, slices: &Slices) -> Vec<Vec<i32>> {
    let mut all: Vec<Vec<i32>> = choice.values().into_iter().map(|value| vec![value]).collect();
    let mut is_old = vec![true; all.len()];
    for (at, new) in slices.exact.iter().zip(choice.update_values()) {
        let Some(at) = *at else { continue };
        let old = all[at][0];
        match update {
            ScatterUpdate::Set if is_old[at] => all[at] = vec![new],
            ScatterUpdate::Set => all[at].push(new),
            ScatterUpdate::Add => all[at] = vec![old.wrapping_add(new)],
            ScatterUpdate::Mul => all[at] = vec![old.wrapping_mul(new)],
            ScatterUpdate::Max => all[at] = vec![old.max(new)],
            ScatterUpdate::Min => all[at] = vec![old.min(new)],
        }
        is_old[at] = false;
    }
    all
}

/// The operand with its updates times 5 by exclusive or, and three times the operand with the sum
/// of its updates.
pub fn scattered_by(choice: &Choice, slices: &Slices) -> (Vec<i32>, Vec<i32>) {
    let mut a = choice.values();
    let mut b: Vec<i32> = a.iter().map(|value| value * 3).collect();
    for (at, new) in slices.exact.iter().zip(choice.update_values()) {
        let Some(at) = *at else { continue };
        a[at] ^= new * 5;
        b[at] += new;
    }
    (a, b)
}
