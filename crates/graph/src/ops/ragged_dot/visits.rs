//! The visits of a loop over the groups of rows and the blocks of rows in them.

use crate::{
    DType, Tensor,
    ops::{concatenate, optimization_barrier, while_loop},
};

/// The maximum number of rows that are multiplied at once.
const MAX_BLOCK: usize = 128;
/// The minimum number of rows that are multiplied at once.
pub(super) const MIN_BLOCK: usize = 8;

/// The ends of the groups, at most the number of rows.
#[track_caller]
pub(super) fn ends(sizes: Tensor, rows: usize) -> Tensor {
    let ends = sizes.maximum(0).minimum(rows).convert(DType::I64).cumsum(0);
    ends.minimum(rows).convert(DType::I32)
}

/// The visits of each block of rows, one for every group that has rows in it.
pub(super) struct Visits {
    /// The number of rows of a block.
    pub block: usize,
    rows: usize,
    starts: Tensor,
    ends: Tensor,
    /// The first block of each group.
    first: Tensor,
    /// The number of visits for each group, and the sums of those up to it.
    counts: Tensor,
    visited: Tensor,
}

/// A block of rows and a group that has rows in it.
pub(super) struct Visit {
    /// The group.
    pub group: Tensor,
    /// The first row of the block.
    pub row: Tensor,
    /// Whether a row of the block is of the group: `[block, 1]`.
    pub is_own: Tensor,
}

impl Visits {
    #[track_caller]
    pub(super) fn new(sizes: Tensor, rows: usize, groups: usize) -> Visits {
        // The number of rows that are multiplied at once: about the mean of a group.
        let mean = rows.div_ceil(groups.max(1)).next_power_of_two();
        let block = mean.clamp(MIN_BLOCK, MAX_BLOCK).min(rows.max(1));
        let ends = ends(sizes, rows);
        let zero = Tensor::zeros(DType::I32, [1]);
        let starts = concatenate(&[zero, ends.slice(0, ..-1)], 0);
        let first = starts / block;
        let last = (ends - 1).maximum(0) / block;
        let counts = ends.gt(starts).select(last - first + 1, 0);
        Visits { block, rows, starts, ends, first, counts, visited: counts.cumsum(0) }
    }

    /// Pads rows to a multiple of the block.
    #[track_caller]
    pub(super) fn padded(&self, x: Tensor) -> Tensor {
        x.pad(0, 0, (self.rows.next_multiple_of(self.block) - self.rows) as isize, 0)
    }

    #[track_caller]
    pub(super) fn each(&self, out: Tensor, step: impl FnOnce(Visit, Tensor) -> Tensor) -> Tensor {
        let total = self.visited.index(0, -1);
        let visit = Tensor::scalar(0, DType::I32);
        let (_, out) = while_loop(
            (visit, out),
            |(visit, _)| visit.lt(total),
            |(visit, out)| {
                let group = self.visited.le(visit).convert(DType::I32).sum(0);
                let of_group = |all: Tensor| all.dynamic_slice(0, group, 1).squeeze(0);
                let place = visit - (of_group(self.visited) - of_group(self.counts));
                let row = (of_group(self.first) + place) * self.block;
                let at = Tensor::iota(DType::I32, [self.block, 1], 0) + row;
                let is_own = at.ge(of_group(self.starts)) & at.lt(of_group(self.ends));
                (visit + 1, step(Visit { group, row, is_own }, out))
            },
        );
        out
    }
}

/// The matrix of a group.
///
/// If the target has no arithmetic in the matrices' type, a compiler that moves loop invariants out
/// of loops would convert the matrices of all groups before the loop. A barrier together with the
/// group makes them depend on the step.
#[track_caller]
pub(super) fn matrix(w: Tensor, group: Tensor) -> Tensor {
    let (w, group) = optimization_barrier((w, group));
    w.dynamic_slice(0, group, 1).squeeze(0)
}
