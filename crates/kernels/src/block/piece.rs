//! Some rows of a weight times all of `x`.
//!
//! A unit of eight rows is read in its place, and its bytes are interleaved so that a row is a
//! lane. Few rows of `x` are multiplied with it at once, from registers. For more, the units of
//! some columns are kept in the L2 cache, and multiplied with tiles of rows of `x`. In both, the
//! units of a row are added in their order.

#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

use super::{
    BlockMatrix,
    format::{Format, UNIT},
    lanes::{Lanes, ROWS, Work},
    mode::Mode,
};
use crate::scratch::Scratch;
use std::{marker::PhantomData, ops::Range};

/// Units of each row that are kept in the L2 cache.
const KEPT: usize = 16;

/// Bytes by which rows are prefetched.
const AHEAD: usize = 512;

/// All of `x` times some rows of the weight.
pub(super) struct Piece<'a, M: Mode, F> {
    /// Packed units: those of a tile's rows are adjacent.
    pub x: *const M::X,
    pub count: usize,
    pub weight: BlockMatrix<'a>,
    /// The bytes of the weight from its first row on.
    pub rows: Range<usize>,
    /// The sums of each row of `x`, `stride` elements apart, which is a multiple of eight.
    pub sums: *mut f32,
    pub stride: usize,
    pub format: PhantomData<F>,
}

/// The rows of `x` of each tile, of about the same size.
pub(super) fn tiles<M: Mode>(rows: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
    let count = rows.div_ceil(M::ROWS);
    (0..count).map(move |tile| tile * rows / count..(tile + 1) * rows / count)
}

impl<M: Mode, F: Format> Work for Piece<'_, M, F> {
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        // SAFETY: the caller passes as many rows and columns as declared.
        unsafe {
            match self.count {
                1 => self.few::<L, 1>(),
                2 => self.few::<L, 2>(),
                3 => self.few::<L, 3>(),
                4 => self.few::<L, 4>(),
                _ => self.many::<L>(),
            }
        }
    }
}

/// Calls a function for the size of a tile.
macro_rules! with_rows {
    ($rows:expr, $r:ident => $call:expr) => {
        match $rows {
            1 => {
                const $r: usize = 1;
                $call
            }
            2 => {
                const $r: usize = 2;
                $call
            }
            3 => {
                const $r: usize = 3;
                $call
            }
            4 => {
                const $r: usize = 4;
                $call
            }
            5 => {
                const $r: usize = 5;
                $call
            }
            6 => {
                const $r: usize = 6;
                $call
            }
            7 => {
                const $r: usize = 7;
                $call
            }
            _ => {
                const $r: usize = 8;
                $call
            }
        }
    };
}

impl<M: Mode, F: Format> Piece<'_, M, F> {
    /// The first blocks of eight rows; missing ones are the last.
    #[inline(always)]
    fn blocks(&self, first: usize) -> [*const u8; ROWS] {
        let mut rows = [self.weight.bytes.as_ptr(); ROWS];
        for at in 0..ROWS {
            let row = (first + at).min(self.rows.end - 1);
            rows[at] = rows[at].wrapping_add(row * self.weight.row_bytes());
        }
        rows
    }

    /// A unit of eight rows.
    #[inline(always)]
    unsafe fn weights<L: Lanes>(&self, rows: [*const u8; ROWS], unit: usize) -> M::W<L> {
        let units = F::VALUES / UNIT;
        // SAFETY: by the contract of `run`.
        unsafe {
            let blocks = super::lanes::offset(rows, unit / units * F::BYTES);
            M::weights::<L, F>(F::units(blocks, unit % units))
        }
    }

    #[inline(always)]
    unsafe fn few<L: Lanes, const R: usize>(&self) {
        let units = self.weight.columns / UNIT;
        for first in self.rows.clone().step_by(ROWS) {
            let rows = self.blocks(first);
            // SAFETY: by the contract of `run`.
            unsafe {
                let mut sums = [L::splat(0.0); R];
                for unit in 0..units {
                    let weights = self.weights::<L>(rows, unit);
                    for row in rows {
                        L::prefetch(row.wrapping_add(unit * F::BYTES * UNIT / F::VALUES + AHEAD));
                    }
                    M::add::<L, F, R>(&mut sums, &weights, self.x.add(unit * R));
                }
                for r in 0..R {
                    L::store(self.sums.add(r * self.stride + first - self.rows.start), sums[r]);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn many<L: Lanes>(&self) {
        let units = self.weight.columns / UNIT;
        let groups = self.rows.len().div_ceil(ROWS);
        let mut kept = Scratch::take(groups * KEPT * size_of::<M::W<L>>());
        let kept = kept.as_mut_ptr::<M::W<L>>();
        for first in (0..units.max(1)).step_by(KEPT) {
            let count = KEPT.min(units - first);
            for group in 0..groups {
                let rows = self.blocks(self.rows.start + group * ROWS);
                for unit in 0..count {
                    // SAFETY: by the contract of `run`; there is memory for as many units.
                    unsafe {
                        let weights = self.weights::<L>(rows, first + unit);
                        kept.add(group * KEPT + unit).write(weights);
                    }
                }
            }
            for rows in tiles::<M>(self.count) {
                for group in 0..groups {
                    // SAFETY: by the contract of `run`.
                    unsafe {
                        let x = self.x.add(rows.start * units + first * rows.len());
                        let sums = self.sums.add(rows.start * self.stride + group * ROWS);
                        let kept = kept.add(group * KEPT).cast_const();
                        let is_first = first == 0;
                        with_rows!(rows.len(), R => {
                            if R <= M::ROWS {
                                self.tile::<L, R>(x, kept, count, sums, is_first);
                            }
                        });
                    }
                }
            }
        }
    }

    /// Adds the products of some units to the sums; the first ones set them.
    #[inline(always)]
    unsafe fn tile<L: Lanes, const R: usize>(
        &self,
        x: *const M::X,
        kept: *const M::W<L>,
        count: usize,
        to: *mut f32,
        is_first: bool,
    ) {
        // SAFETY: by the contract of `run`.
        unsafe {
            let mut sums = [L::splat(0.0); R];
            if !is_first {
                for r in 0..R {
                    sums[r] = L::load(to.add(r * self.stride));
                }
            }
            for unit in 0..count {
                M::add::<L, F, R>(&mut sums, &*kept.add(unit), x.add(unit * R));
            }
            for r in 0..R {
                L::store(to.add(r * self.stride), sums[r]);
            }
        }
    }
}
