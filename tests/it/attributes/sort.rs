//! Sorts of one or several tensors, by their own order or by a comparison.

use super::{
    Choice,
    choice::{DTYPES, values},
};
use crate::row_major::{flat, positions};
use fastrand::Rng;
use hloom::{
    DType, Tensor,
    ops::{sort_by, sort_together},
};
use std::cmp::Reverse;

#[derive(Debug)]
pub struct Sort {
    dtype: DType,
    sizes: Vec<usize>,
    axis: usize,
    descending: bool,
    /// The tensors that are sorted with the key.
    others: usize,
    /// Whether the key is compared by a body, after a division by 2.
    by_half: bool,
}

impl Choice for Sort {
    fn new(seed: u64) -> Sort {
        let rng = &mut Rng::with_seed(seed);
        let dtype = DTYPES[rng.usize(..DTYPES.len())];
        let rank = rng.usize(1..=4);
        let mut size = || if rng.u8(..25) == 0 { 0 } else { rng.usize(1..=7) };
        let sizes = (0..rank).map(|_| size()).collect();
        let axis = rng.usize(..rank);
        let by_half = dtype != DType::F32 && rng.bool();
        Sort { dtype, sizes, axis, descending: rng.bool(), others: rng.usize(..3), by_half }
    }

    fn operands(&self) -> Vec<(Vec<usize>, Vec<i64>)> {
        let count = self.sizes.iter().product();
        // Keys repeat, so that the order of equal ones shows in the tensors that are sorted with
        // them.
        let place = |i: i64| (i * 7 + 3) % 101;
        let others = (0..self.others as i64).map(|n| (0..count as i64).map(move |i| place(i + n)));
        let mut all = vec![(self.sizes.clone(), values(count, 31))];
        all.extend(others.map(|values| (self.sizes.clone(), values.collect())));
        all
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn op(&self, operands: &[Tensor]) -> Vec<Tensor> {
        if !self.by_half {
            return sort_together(operands, self.axis, self.descending);
        }
        sort_by(operands.to_vec(), self.axis, |a, b| {
            let (a, b) = (a[0] / 2, b[0] / 2);
            if self.descending { a.gt(b) } else { a.lt(b) }
        })
    }

    fn expected(&self) -> Vec<Vec<i64>> {
        let operands = self.operands();
        let mut results: Vec<Vec<i64>> =
            operands.iter().map(|(_, values)| values.clone()).collect();
        let key = |place: usize| {
            if self.by_half { operands[0].1[place] / 2 } else { operands[0].1[place] }
        };
        for row in positions(&self.sizes) {
            if row[self.axis] != 0 {
                continue;
            }
            let along = |at: usize| {
                let mut position = row.clone();
                position[self.axis] = at;
                flat(&position, &self.sizes)
            };
            let places: Vec<usize> = (0..self.sizes[self.axis]).map(along).collect();
            let mut sorted = places.clone();
            if self.descending {
                sorted.sort_by_key(|&place| Reverse(key(place)))
            } else {
                sorted.sort_by_key(|&place| key(place))
            }
            for (result, (_, values)) in results.iter_mut().zip(&operands) {
                for (&to, &from) in places.iter().zip(&sorted) {
                    result[to] = values[from];
                }
            }
        }
        results
    }
}
