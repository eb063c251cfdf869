//! The derivative of dot products.

use super::DotDims;
use crate::{
    PerAxis, Tensor,
    grad::{Pull, Vjp, keeps_operands},
    ops::reshape::restored,
    record,
};

impl Vjp for DotDims {
    keeps_operands!();

    /// Products are computed in the result's type, which may be wider than the type of the
    /// operands.
    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (left, right) = (pull.shape(0), pull.shape(1));
        let g = pull.g();
        let batch = self.left_batch.len();
        let left_free = free(left.rank(), &self.left_contracting, &self.left_batch);
        let right_free = free(right.rank(), &self.right_contracting, &self.right_batch);
        // The contracted axes of a side in their order on the other side.
        let paired = |own: &[usize], other: &[usize]| -> Vec<usize> {
            let mut pairs: Vec<(usize, usize)> =
                other.iter().copied().zip(own.iter().copied()).collect();
            pairs.sort_unstable();
            pairs.into_iter().map(|pair| pair.1).collect()
        };
        let dims = DotDims { accumulate: None, precision: self.precision, ..DotDims::default() };
        let of_left = || {
            let dims = DotDims {
                left_contracting: PerAxis::collect(
                    (0..right_free.len()).map(|i| batch + left_free.len() + i),
                ),
                right_contracting: PerAxis::collect(right_free.iter().copied()),
                left_batch: PerAxis::collect(0..batch),
                right_batch: self.right_batch,
                ..dims
            };
            let product = record(dims, &[g, pull.x(1).convert(g.dtype())])[0];
            let contracted = paired(&self.left_contracting, &self.right_contracting);
            let order = [&*self.left_batch, &left_free, &contracted].concat();
            restored(product, &order).convert(left.dtype())
        };
        let of_right = || {
            let dims = DotDims {
                left_contracting: PerAxis::collect((0..left_free.len()).map(|i| batch + i)),
                right_contracting: PerAxis::collect(left_free.iter().copied()),
                left_batch: PerAxis::collect(0..batch),
                right_batch: self.left_batch,
                ..dims
            };
            let product = record(dims, &[g, pull.x(0).convert(g.dtype())])[0];
            let contracted = paired(&self.right_contracting, &self.left_contracting);
            let order = [&*self.right_batch, &right_free, &contracted].concat();
            restored(product, &order).convert(right.dtype())
        };
        pull.two(of_left, of_right)
    }
}

/// The axes that a dot product neither contracts nor batches.
fn free(rank: usize, contracting: &[usize], batch: &[usize]) -> Vec<usize> {
    (0..rank).filter(|axis| !contracting.contains(axis) && !batch.contains(axis)).collect()
}
