//! Slices at start indices of the program, clamped so that they fit.

use crate::{
    array::Array,
    evaluate::Evaluate,
    machine::{Evaluated, Machine},
};
use hloom_graph::{
    NodeId, Shape,
    op::{DynamicSlice, DynamicUpdateSlice},
};

/// The start along each axis, for slices of these sizes.
fn starts(indices: &[&Array], sizes: &[usize], slice: &[usize]) -> Vec<usize> {
    let start = |(index, (&all, &part)): (&&Array, (&usize, &usize))| {
        index.scalar().int().clamp(0, (all - part) as i128) as usize
    };
    indices.iter().zip(sizes.iter().zip(slice)).map(start).collect()
}

fn dynamic_slice(result: Shape, x: &Array, indices: &[&Array]) -> Array {
    let starts = starts(indices, x.sizes(), result.sizes());
    let mut from = vec![0; result.rank()];
    Array::from_fn(result, |position| {
        for (at, (start, offset)) in from.iter_mut().zip(starts.iter().zip(position)) {
            *at = start + offset;
        }
        x.at(&from)
    })
}

fn dynamic_update_slice(result: Shape, x: &Array, update: &Array, indices: &[&Array]) -> Array {
    let starts = starts(indices, x.sizes(), update.sizes());
    let mut all = x.reshaped(result);
    for offset in crate::array::positions(update.sizes()) {
        let to: Vec<usize> = starts.iter().zip(&offset).map(|(start, at)| start + at).collect();
        all.set(&to, update.at(&offset));
    }
    all
}

impl Evaluate for DynamicSlice {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| dynamic_slice(shape, x[0], &x[1..]))
    }
}

impl Evaluate for DynamicUpdateSlice {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| dynamic_update_slice(shape, x[0], x[1], &x[2..]))
    }
}
