//! Padding of all axes, which also crops.

use super::{
    Choice,
    choice::{DTYPES, values},
};
use crate::row_major::{flat, positions};
use fastrand::Rng;
use hloom::{DType, Tensor};

const FILL: i64 = 9;

#[derive(Debug)]
pub struct Pad {
    dtype: DType,
    sizes: Vec<usize>,
    /// The elements before the first, after the last and between neighbours of each axis.
    edges: Vec<(isize, isize, usize)>,
}

/// The size of an axis after padding.
fn padded(size: usize, (low, high, interior): (isize, isize, usize)) -> isize {
    let spread = if size == 0 { 0 } else { size + (size - 1) * interior };
    spread as isize + low + high
}

impl Choice for Pad {
    fn new(seed: u64) -> Pad {
        let rng = &mut Rng::with_seed(seed);
        let dtype = DTYPES[rng.usize(..DTYPES.len())];
        let rank = rng.usize(..=4);
        let (mut sizes, mut edges) = (Vec::new(), Vec::new());
        for _ in 0..rank {
            let size = if rng.u8(..12) == 0 { 0 } else { rng.usize(1..=5) };
            let interior = if rng.bool() { 0 } else { rng.usize(1..=3) };
            let mut edge = || if rng.bool() { 0 } else { rng.isize(-4..=4) };
            let (low, mut high) = (edge(), edge());
            while padded(size, (low, high, interior)) < 0 {
                high += 1;
            }
            sizes.push(size);
            edges.push((low, high, interior));
        }
        Pad { dtype, sizes, edges }
    }

    fn operands(&self) -> Vec<(Vec<usize>, Vec<i64>)> {
        vec![(self.sizes.clone(), values(self.sizes.iter().product(), 31))]
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn op(&self, operands: &[Tensor]) -> Vec<Tensor> {
        let axes = self.edges.iter().enumerate();
        vec![axes.fold(operands[0], |x, (axis, &(low, high, interior))| {
            x.pad_interior(axis, low, high, interior, FILL)
        })]
    }

    fn expected(&self) -> Vec<Vec<i64>> {
        let operand = &self.operands()[0].1;
        let axes = self.sizes.iter().zip(&self.edges);
        let sizes: Vec<usize> =
            axes.clone().map(|(&size, &edges)| padded(size, edges) as usize).collect();
        let mut result = vec![FILL; sizes.iter().product()];
        for (position, &value) in positions(&self.sizes).iter().zip(operand) {
            let place = |(&at, &(low, _, interior)): (&usize, &(isize, isize, usize))| {
                (at * (interior + 1)) as isize + low
            };
            let places: Vec<isize> = position.iter().zip(&self.edges).map(place).collect();
            let inside = |(&place, &size): (&isize, &usize)| (0..size as isize).contains(&place);
            if places.iter().zip(&sizes).all(inside) {
                let places: Vec<usize> = places.iter().map(|&place| place as usize).collect();
                result[flat(&places, &sizes)] = value;
            }
        }
        vec![result]
    }
}
