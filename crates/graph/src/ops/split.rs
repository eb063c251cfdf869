//! Splitting a tensor along an axis into several tensors.

use crate::{
    Axis, Tensor,
    trace::{Rule, emit},
};
use std::panic::Location;

/// The maximum number of pieces; more are an error, also for an axis of size 0, which any number
/// divides.
const MAX_PIECES: usize = 1 << 16;

#[hloom_derive::tensor_methods(split)]
impl Tensor {
    /// Splits an axis into `pieces` tensors of equal size, in order. An axis whose size is not
    /// divisible is an error; [`split_sizes`](Self::split_sizes) takes any sizes, and
    /// [`unflatten`](Self::unflatten) makes several axes out of one.
    #[track_caller]
    pub fn split(self, axis: impl Into<Axis>, pieces: usize) -> Vec<Tensor> {
        self.split_where(axis.into(), pieces, |axis, size| {
            if (1..=MAX_PIECES).contains(&pieces) && size % pieces == 0 {
                Ok(vec![size / pieces; pieces])
            } else {
                Err(format!("axis {axis} of size {size} does not split into {pieces} pieces")
                    .into())
            }
        })
    }

    /// Splits an axis into tensors of these sizes, in order. The sum of the sizes is the axis'
    /// size.
    #[track_caller]
    pub fn split_sizes(self, axis: impl Into<Axis>, sizes: &[usize]) -> Vec<Tensor> {
        self.split_where(axis.into(), sizes.len(), |axis, size| {
            if sizes.len() > MAX_PIECES {
                let pieces = sizes.len();
                return Err(format!("{pieces} pieces are more than {MAX_PIECES}").into());
            }
            let sum = sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
            if sum == Some(size) && !sizes.is_empty() {
                Ok(sizes.to_vec())
            } else {
                Err(format!("axis {axis} of size {size} does not split into {sizes:?}").into())
            }
        })
    }

    /// The pieces of the sizes that `sizes` returns for the axis, or as many poisoned tensors.
    #[track_caller]
    fn split_where(
        self,
        axis: Axis,
        pieces: usize,
        sizes: impl FnOnce(Axis, usize) -> Rule<Vec<usize>>,
    ) -> Vec<Tensor> {
        let sizes = emit("split", &[self], Location::caller(), |_, s, _| {
            sizes(axis, s[0].sizes()[s[0].position(axis)?])
        });
        let Some(sizes) = sizes else {
            return vec![Tensor::poisoned(); pieces.min(MAX_PIECES)];
        };
        let mut parts = Vec::with_capacity(sizes.len());
        let mut start = 0;
        for size in sizes {
            // No size exceeds the largest isize.
            parts.push(self.slice(axis, start..start + size as isize));
            start += size as isize;
        }
        parts
    }
}
