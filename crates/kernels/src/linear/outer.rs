//! Matmul of many rows as sums of outer products, for processors with 16 vector registers.
//!
//! The lanes of a vector are rows of `x`, which is packed once into panels of 16 rows, column by
//! column. A step multiplies the two vectors of a panel's column with a number of each of six rows
//! of the weight: the twelve sums stay in registers, and none is summed across lanes. A piece of
//! work takes some rows of the weight, strip by strip: a block of a strip's columns is copied as
//! `f32` into the L2 cache, and each panel's block, which stays in the L1 cache, is multiplied with
//! it (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008).
//!
//! With few panels the time to read the weight counts: then a strip is one group of rows as long as
//! the L2 cache has room for the same columns of `x`. Such rows of `f32` are multiplied in their
//! place: if they are long, the processor follows six streams of memory, and prefetches only slow
//! them.

#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

use super::{
    Call,
    blocked::SharedMut,
    results::Results,
    stream::Shared,
    strips::{Ahead, Strip, strips},
};
use crate::{
    Element, Error, Isa, Matrix,
    scratch::Scratch,
    simd::{self, Simd, Task},
};
use std::ops::Range;

/// The instruction sets with vectors of as many lanes.
const ISAS: &[Isa] = &[Isa::Portable, Isa::Avx2];

/// Lanes of a vector.
const LANES: usize = 8;

/// Rows of `x` per panel.
const PANEL: usize = 2 * LANES;

/// Rows of the weight per tile.
const GROUP: usize = 6;

/// Rows of the weight whose block of columns stays in the L2 cache.
const STRIP: usize = 8 * GROUP;

/// Columns of a block.
const BLOCK: usize = 256;

/// Bytes of `x` that stay in the L2 cache with a group of long rows of the weight.
const X_BYTES: usize = 256 << 10;

/// The minimum number of columns of a long row. With fewer, packing a block for the L1 cache is
/// faster.
const MIN_LONG_COLUMNS: usize = 4 * BLOCK;

/// Columns that are packed at a time; their order is that of [`Stored::load`].
///
/// [`Stored::load`]: crate::tile::Stored::load
const STEP: usize = 2 * LANES;

/// The maximum number of rows of the weight per piece of work.
const MAX_ROWS: usize = 2 * STRIP;

/// The result rows of `x` start at `rows.start`.
pub(super) fn product<X: Element, W: Element, Y: Element>(
    call: &Call<'_, '_, W, Y>,
    x: Matrix<'_, X>,
    rows: Range<usize>,
) -> Result<(), Error> {
    let Call { isa, pool, .. } = *call;
    assert_eq!(simd::lanes(isa), LANES, "BUG: panels are for other vectors");
    let (first, x) = (rows.start, x.range(rows));
    let padded = x.columns.next_multiple_of(STEP);
    let room = x.rows.next_multiple_of(LANES);
    let mut packed = Scratch::take(room * padded * size_of::<f32>());
    let packed = SharedMut(packed.as_mut_ptr::<f32>());
    let order = order(X::SPLIT, W::SPLIT);
    pool.for_each(x.rows.div_ceil(PANEL), &|panel| {
        let rows = panel * PANEL..x.rows.min((panel + 1) * PANEL);
        // SAFETY: each panel has its own memory.
        let to = unsafe { packed.get().add(rows.start * padded) };
        simd::run(isa, Pack { x: x.range(rows), to, order: &order });
    })?;
    let packed = Shared(packed.get().cast_const());

    let long = (X_BYTES / size_of::<f32>() / room / STEP * STEP).min(STRIP * BLOCK / GROUP);
    // Parts of rows that are widened are too short for the processor to follow.
    let size = if long >= MIN_LONG_COLUMNS && (W::NAME == f32::NAME || long >= padded) {
        [GROUP, long.min(padded.max(STEP))]
    } else {
        [STRIP, BLOCK]
    };
    let count = call.rows_per_piece(GROUP..=MAX_ROWS, GROUP);
    call.for_each_piece(count, &|product, rows| {
        let mut strip = Scratch::take(STRIP * BLOCK * size_of::<f32>());
        let mut sums = Scratch::take(rows.len() * room * size_of::<f32>());
        let piece = RowsOfWeight {
            x: packed.get(),
            count: x.rows,
            padded,
            weight: product.weight,
            next: rows.start + count * pool.threads(),
            rows: rows.clone(),
            size,
            strip: strip.as_mut_ptr(),
            sums: sums.as_mut_ptr(),
            room,
        };
        simd::run(isa, piece);
        let finish = Finish {
            results: product.results(),
            first,
            count: x.rows,
            columns: rows,
            sums: sums.as_mut_ptr(),
            room,
        };
        simd::run(isa, finish);
    })
}

/// Where each of the columns that are loaded together belongs, in the order of the other operand.
fn order(split: bool, into: bool) -> [usize; STEP] {
    std::array::from_fn(|at| {
        let column = if split { at % LANES * 2 + at / LANES } else { at };
        if into { column / 2 + column % 2 * LANES } else { column }
    })
}

/// Packs a panel of `x`: its columns are adjacent, each with a vector or two of rows.
struct Pack<'a, X> {
    x: Matrix<'a, X>,
    /// Memory for all columns, rounded up; missing elements are filled with 0.
    to: *mut f32,
    order: &'a [usize; STEP],
}

impl<X: Element> Task for Pack<'_, X> {
    type Output = ();
    const ISAS: &'static [Isa] = ISAS;

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let Pack { x, to, order } = self;
        let width = x.rows.next_multiple_of(LANES);
        for start in (0..x.columns).step_by(STEP) {
            let count = STEP.min(x.columns - start);
            for first in (0..width).step_by(LANES) {
                let mut rows = [[0.0_f32; STEP]; LANES];
                let mut columns = [[0.0_f32; LANES]; STEP];
                for row in first..x.rows.min(first + LANES) {
                    let from = &x.data[row * x.stride + start..][..count];
                    // SAFETY: `from` has as many elements.
                    unsafe { load::<S, X>(from, rows[row - first].as_mut_ptr()) };
                }
                for square in (0..STEP).step_by(LANES) {
                    // SAFETY: both have the squares of a step.
                    unsafe {
                        let from = rows.as_ptr().cast::<f32>().add(square);
                        let to = columns.as_mut_ptr().cast::<f32>().add(square * LANES);
                        S::transpose(from, STEP, to);
                    }
                }
                for at in 0..STEP {
                    // SAFETY: there is memory for whole steps of all rows.
                    unsafe {
                        let to = to.add((start + order[at]) * width + first);
                        S::store(to, S::load(columns[at].as_ptr()));
                    }
                }
            }
        }
    }
}

/// Writes a step of elements in the order of `load`; missing ones are 0.
///
/// # Safety
/// `to` has memory for a step; see also [`Simd`].
#[inline(always)]
unsafe fn load<S: Simd, T: Element>(from: &[T], to: *mut f32) {
    let mut last = [T::ZERO; STEP];
    let from = match from.len() {
        STEP => from.as_ptr(),
        count => {
            last[..count].copy_from_slice(from);
            last.as_ptr()
        }
    };
    // SAFETY: by the contract of this function.
    unsafe {
        let [a, b] = T::load::<S>(from);
        S::store(to, a);
        S::store(to.add(LANES), b);
    }
}

/// All panels of `x` times some rows of the weight.
struct RowsOfWeight<'a, W> {
    x: *const f32,
    /// Rows of `x`, and its columns rounded up.
    count: usize,
    padded: usize,
    weight: Matrix<'a, W>,
    /// Rows of the weight.
    rows: Range<usize>,
    /// The row of the weight with which this thread probably continues.
    next: usize,
    /// Rows and columns of a strip.
    size: [usize; 2],
    /// Memory for a strip.
    strip: *mut f32,
    /// The sums, with `room` per row of the weight.
    sums: *mut f32,
    room: usize,
}

impl<W: Element> Task for RowsOfWeight<'_, W> {
    type Output = ();
    const ISAS: &'static [Isa] = ISAS;

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        for strip in strips(&self.weight, self.rows.clone(), self.next, self.size) {
            let Strip { rows, columns, mut ahead } = strip;
            // SAFETY: the caller passes as many rows and columns as declared.
            unsafe {
                let strip = self.widened::<S>(rows.clone(), columns.clone());
                self.strip::<S>(strip, rows, columns, &mut ahead);
            }
        }
    }
}

impl<W: Element> RowsOfWeight<'_, W> {
    /// Whether these columns of a group of rows are multiplied in their place.
    #[inline(always)]
    fn is_in_place(&self, columns: &Range<usize>) -> bool {
        W::NAME == f32::NAME && self.size[0] == GROUP && columns.len().is_multiple_of(STEP)
    }

    /// A block of the weight as `f32`, and the elements from a row to the next.
    #[inline(always)]
    unsafe fn widened<S: Simd>(
        &self,
        rows: Range<usize>,
        columns: Range<usize>,
    ) -> (*const f32, usize) {
        let weight = &self.weight;
        if self.is_in_place(&columns) {
            let at = rows.start * weight.stride + columns.start;
            return (weight.data[at..].as_ptr().cast(), weight.stride);
        }
        for (at, row) in rows.enumerate() {
            let from = &weight.data[row * weight.stride..][columns.clone()];
            let whole = from.len() / STEP * STEP;
            // SAFETY: there is memory for a strip; whole steps are within the row.
            unsafe {
                let to = self.strip.add(at * self.size[1]);
                for start in (0..whole).step_by(STEP) {
                    let [a, b] = W::load::<S>(from.as_ptr().add(start));
                    S::store(to.add(start), a);
                    S::store(to.add(start + LANES), b);
                }
                if whole < from.len() {
                    load::<S, W>(&from[whole..], to.add(whole));
                }
            }
        }
        (self.strip, self.size[1])
    }

    /// Adds the products of a block of columns to the sums; that of the first column sets them.
    #[inline(always)]
    unsafe fn strip<S: Simd>(
        &self,
        (strip, row): (*const f32, usize),
        rows: Range<usize>,
        columns: Range<usize>,
        ahead: &mut Ahead,
    ) {
        let panels = self.count.div_ceil(PANEL);
        let tiles = panels * rows.len().div_ceil(GROUP);
        let fetched = if columns.len() >= MIN_LONG_COLUMNS && self.is_in_place(&columns) {
            0
        } else {
            ahead.lines().div_ceil(tiles.max(1))
        };
        for panel in 0..panels {
            let first = panel * PANEL;
            let width = (self.room - first).min(PANEL);
            for group in (0..rows.len()).step_by(GROUP) {
                let count = GROUP.min(rows.len() - group);
                // SAFETY: within the packed operands and the sums.
                unsafe {
                    ahead.fetch::<S>(fetched);
                    let tile = Tile {
                        x: self.x.add(first * self.padded + columns.start * width),
                        weights: strip.add(group * row),
                        row,
                        steps: columns.len().next_multiple_of(STEP),
                        sums: self
                            .sums
                            .add((rows.start - self.rows.start + group) * self.room + first),
                        stride: self.room,
                        is_first: columns.start == 0,
                    };
                    match (width == PANEL, count) {
                        (true, GROUP) => tile.run::<S, 2, GROUP>(),
                        (true, 5) => tile.run::<S, 2, 5>(),
                        (true, 4) => tile.run::<S, 2, 4>(),
                        (true, 3) => tile.run::<S, 2, 3>(),
                        (true, 2) => tile.run::<S, 2, 2>(),
                        (true, _) => tile.run::<S, 2, 1>(),
                        (false, GROUP) => tile.run::<S, 1, GROUP>(),
                        (false, 5) => tile.run::<S, 1, 5>(),
                        (false, 4) => tile.run::<S, 1, 4>(),
                        (false, 3) => tile.run::<S, 1, 3>(),
                        (false, 2) => tile.run::<S, 1, 2>(),
                        (false, _) => tile.run::<S, 1, 1>(),
                    }
                }
            }
        }
    }
}

/// Stores the sums of a piece of work, transposed.
struct Finish<'a, Y> {
    results: Results<'a, Y>,
    /// The first result row of `x`, and the number of rows.
    first: usize,
    count: usize,
    /// Columns of the result, which belong only to this piece.
    columns: Range<usize>,
    /// The sums, with `room` per column.
    sums: *const f32,
    room: usize,
}

impl<Y: Element> Task for Finish<'_, Y> {
    type Output = ();
    const ISAS: &'static [Isa] = ISAS;

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let Finish { results, first, count, columns: Range { start, end }, sums, room } = self;
        let whole = (end - start) / LANES * LANES;
        let mut block = [0.0; LANES * LANES];
        // SAFETY: within the sums, whose rows are rounded up to vectors, and within the result.
        unsafe {
            for row in (0..count).step_by(LANES) {
                let rows = LANES.min(count - row);
                for column in (0..whole).step_by(LANES) {
                    S::transpose(sums.add(column * room + row), room, block.as_mut_ptr());
                    for r in 0..rows {
                        let sums = &block[r * LANES..][..LANES];
                        results.store::<S>(first + row + r, start + column, sums);
                    }
                }
                for column in whole..end - start {
                    for r in row..row + rows {
                        let sum = *sums.add(column * room + r);
                        results.store::<S>(first + r, start + column, &[sum]);
                    }
                }
            }
        }
    }
}

/// Columns per turn of the innermost loop.
const UNROLLED: usize = 4;

/// A panel of `x` times a group of rows of the weight.
struct Tile {
    x: *const f32,
    weights: *const f32,
    /// Elements from a row of the weight to the next.
    row: usize,
    /// Columns, a multiple of `UNROLLED`.
    steps: usize,
    sums: *mut f32,
    /// Sums from a row of the weight to the next.
    stride: usize,
    is_first: bool,
}

impl Tile {
    /// `V` vectors of rows of `x` times `N` rows of the weight.
    ///
    /// # Safety
    /// The pointers reach as many elements; see also [`Simd`].
    #[inline(always)]
    unsafe fn run<S: Simd, const V: usize, const N: usize>(self) {
        let Tile { x, weights, row, steps, sums, stride, is_first } = self;
        // SAFETY: by the contract of this function.
        unsafe {
            let mut acc = [[S::splat(0.0); V]; N];
            for start in (0..steps).step_by(UNROLLED) {
                let (x, weights) = (x.add(start * V * LANES), weights.add(start));
                for step in 0..UNROLLED {
                    let mut columns = [S::splat(0.0); V];
                    for v in 0..V {
                        columns[v] = S::load(x.add((step * V + v) * LANES));
                    }
                    for n in 0..N {
                        let weight = S::splat(*weights.add(n * row + step));
                        for v in 0..V {
                            acc[n][v] = S::fma(columns[v], weight, acc[n][v]);
                        }
                    }
                }
            }
            let one = S::splat(1.0);
            for n in 0..N {
                for v in 0..V {
                    let at = sums.add(n * stride + v * LANES);
                    let sum =
                        if is_first { acc[n][v] } else { S::fma(S::load(at), one, acc[n][v]) };
                    S::store(at, sum);
                }
            }
        }
    }
}
