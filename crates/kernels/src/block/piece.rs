//! Some rows of a weight times all of `x`.
//!
//! A unit of eight rows is read in its place, so that the sum of a row is a lane. Few rows of `x`
//! are multiplied with it at once, from registers. For more, the units of some columns are kept in
//! the L2 cache, and multiplied with tiles of rows of `x`. In both, the units of a row are added in
//! their order.

#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

use super::{
    BlockMatrix,
    format::{Format, UNIT, Units},
    lanes::{Lanes, ROWS, Work, offset},
    mode::Mode,
};
use crate::scratch::Scratch;
use std::{marker::PhantomData, ops::Range};

/// Units of each row that are kept in the L2 cache: whole blocks.
const KEPT: usize = 16;

/// Bytes of a cache line.
const LINE: usize = 64;

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
    let count = rows.div_ceil(if rows <= M::FEW { M::FEW } else { M::ROWS });
    (0..count).map(move |tile| tile * rows / count..(tile + 1) * rows / count)
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

impl<M: Mode, F: Format> Work for Piece<'_, M, F> {
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        // SAFETY: the caller passes as many rows and columns as declared.
        unsafe {
            if self.count <= M::FEW {
                with_rows!(self.count, R => {
                    if R <= M::FEW {
                        self.few::<L, R>();
                    }
                });
            } else {
                self.many::<L>();
            }
        }
    }
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

    #[inline(always)]
    unsafe fn few<L: Lanes, const R: usize>(&self) {
        let blocks = self.weight.columns / UNIT / F::UNITS;
        let row_bytes = self.weight.row_bytes();
        for first in self.rows.clone().step_by(ROWS) {
            let rows = self.blocks(first);
            // SAFETY: by the contract of `run`.
            unsafe {
                let mut sums = [L::splat(0.0); R];
                for block in 0..blocks {
                    // The next eight rows, which are adjacent to these.
                    let next = rows[0].wrapping_add(ROWS * (row_bytes + block * F::BYTES));
                    let rows = offset(rows, block * F::BYTES);
                    let header = F::header::<L>(rows);
                    for unit in 0..F::UNITS {
                        let bytes = ROWS * F::BYTES / F::UNITS;
                        for line in (0..bytes).step_by(LINE) {
                            L::prefetch(next.wrapping_add(unit * bytes + line));
                        }
                        let stored = (rows, unit, F::scales::<L>(&header, unit));
                        let x = self.x.add((block * F::UNITS + unit) * R);
                        M::add_stored::<L, F, R>(&mut sums, stored, x);
                    }
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
                for unit in (0..count).step_by(F::UNITS) {
                    let rows = offset(rows, (first + unit) / F::UNITS * F::BYTES);
                    // SAFETY: by the contract of `run`; there is memory for as many units.
                    unsafe {
                        let to = kept.add(group * KEPT + unit);
                        let header = F::header::<L>(rows);
                        for unit in 0..F::UNITS {
                            let scales = F::scales::<L>(&header, unit);
                            let bytes = F::bytes::<L, false>(rows, unit);
                            to.add(unit).write(M::weights::<L, F>(Units { bytes, scales }));
                        }
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
