//! Dot products of any axes.

use super::{
    Choice,
    choice::{DTYPES, order, values},
    reference::wrapped,
};
use crate::row_major::{flat, positions};
use fastrand::Rng;
use hloom::{DType, Tensor, ops::DotOptions};

/// The role of an operand's axis, with its number among the batch, the contracted or the free axes.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Role {
    Batch(usize),
    Contracted(usize),
    Free(usize),
}

#[derive(Debug)]
pub struct Dot {
    dtype: DType,
    /// The sizes of batch axes and of contracted axes.
    batch: Vec<usize>,
    contracted: Vec<usize>,
    /// The roles of the axes of both sides, and their sizes.
    roles: [Vec<Role>; 2],
    sizes: [Vec<usize>; 2],
}

impl Dot {
    /// The pairs of axes of both sides with a role.
    fn pairs(&self, count: usize, role: fn(usize) -> Role) -> Vec<(usize, usize)> {
        let place = |side: usize, i: usize| {
            let of_role = |other: &Role| *other == role(i);
            self.roles[side].iter().position(of_role).expect("both sides have each role")
        };
        (0..count).map(|i| (place(0, i), place(1, i))).collect()
    }

    /// The sizes of the free axes of a side.
    fn free(&self, side: usize) -> Vec<usize> {
        let axes = self.roles[side].iter().zip(&self.sizes[side]);
        axes.filter(|(role, _)| matches!(role, Role::Free(_))).map(|(_, &size)| size).collect()
    }
}

impl Choice for Dot {
    fn new(seed: u64) -> Dot {
        let rng = &mut Rng::with_seed(seed);
        let dtype = DTYPES[rng.usize(..DTYPES.len())];
        let mut some = |most: usize| -> Vec<usize> {
            let count = rng.usize(..=most);
            (0..count).map(|_| if rng.u8(..25) == 0 { 0 } else { rng.usize(1..=5) }).collect()
        };
        let (batch, contracted) = (some(2), some(2));
        let free = [some(2), some(2)];
        let sides = free.map(|free| {
            let mut axes: Vec<(Role, usize)> = Vec::new();
            axes.extend(batch.iter().enumerate().map(|(i, &size)| (Role::Batch(i), size)));
            axes.extend(contracted.iter().enumerate().map(|(i, &n)| (Role::Contracted(i), n)));
            let order = order(rng, axes.len() + free.len());
            // Free axes keep their order, since the result has them in it.
            let mut rest = free.iter().enumerate().map(|(i, &size)| (Role::Free(i), size));
            order
                .into_iter()
                .filter_map(|i| axes.get(i).copied().or_else(|| rest.next()))
                .unzip::<_, _, Vec<_>, Vec<_>>()
        });
        let [(left, of_left), (right, of_right)] = sides;
        Dot { dtype, batch, contracted, roles: [left, right], sizes: [of_left, of_right] }
    }

    fn operands(&self) -> Vec<(Vec<usize>, Vec<i64>)> {
        let side = |i: usize, factor| {
            let sizes = self.sizes[i].clone();
            let count = sizes.iter().product();
            (sizes, values(count, factor))
        };
        vec![side(0, 31), side(1, 11)]
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn op(&self, operands: &[Tensor]) -> Vec<Tensor> {
        let contracted = self.pairs(self.contracted.len(), Role::Contracted);
        let batch = self.pairs(self.batch.len(), Role::Batch);
        let options = DotOptions { accumulate: Some(self.dtype), ..DotOptions::default() };
        vec![operands[0].dot_general(operands[1], &contracted, &batch, options)]
    }

    fn expected(&self) -> Vec<Vec<i64>> {
        let operands = self.operands();
        let element = |side: usize, batch: &[usize], contracted: &[usize], free: &[usize]| {
            let place = |role: &Role| match *role {
                Role::Batch(i) => batch[i],
                Role::Contracted(i) => contracted[i],
                Role::Free(i) => free[i],
            };
            let position: Vec<usize> = self.roles[side].iter().map(place).collect();
            operands[side].1[flat(&position, &self.sizes[side])]
        };
        let mut result = Vec::new();
        for batch in positions(&self.batch) {
            for left in positions(&self.free(0)) {
                for right in positions(&self.free(1)) {
                    let products = positions(&self.contracted)
                        .into_iter()
                        .map(|at| element(0, &batch, &at, &left) * element(1, &batch, &at, &right));
                    result.push(wrapped(products.sum(), self.dtype));
                }
            }
        }
        vec![result]
    }
}
