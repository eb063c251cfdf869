//! Matmul of many rows of `bf16` by tiles (AMX).
//!
//! The sums are those of `w · xᵀ`: a tile of the weight is loaded as it is stored, and only `x` is
//! packed, once for all rows of the weight. A piece of work takes some rows of the weight, and 32
//! of them at a time: a block of their columns stays in the L1 cache, and each panel of 32 rows of
//! `x`, read from the L2 cache, is multiplied with it by four tiles of sums.

#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

use super::{
    Call, Linear,
    blocked::SharedMut,
    stream::Shared,
    strips::{Ahead, Strip, strips},
};
use crate::{
    Element, Error, Isa, Matrix,
    scratch::Scratch,
    simd::{
        self, Simd, Task,
        amx::{ELEMENTS, ROW, SIDE, STEP, TILE, Tiles, load, narrowed, turned},
    },
};
use half::bf16;
use std::{arch::x86_64::*, ops::Range};

/// The rows of `x` from which tiles are faster than streams of the weight.
pub(super) const MIN_ROWS: usize = 5;

/// Rows of `x` per packed weight.
pub(super) const ROWS: usize = 512;

/// Rows of `x`, or of the weight, that are multiplied together: two tiles.
const PANEL: usize = 2 * SIDE;

/// The maximum number of columns of a block.
const BLOCK: usize = 512;

/// Panels of `x` from which a block of the weight is copied: its rows are often a power of two
/// apart, and would take each other's place in the L1 cache.
const COPIED: usize = 3;

/// The maximum number of rows of the weight per piece of work.
const MAX_ROWS: usize = 4 * PANEL;

/// The result rows of `x` start at `rows.start`.
pub(super) fn product<X: Element, W: Element, Y: Element>(
    call: &Call<'_, '_, W, Y>,
    x: Matrix<'_, X>,
    rows: Range<usize>,
) -> Result<(), Error> {
    assert!(X::NAME == "bf16" && W::NAME == "bf16", "BUG: tiles are of bf16");
    let Call { isa, pool, .. } = *call;
    let (first, x) = (rows.start, x.range(rows));
    let padded = x.columns.next_multiple_of(STEP);
    let room = x.rows.next_multiple_of(SIDE);
    let mut packed = Scratch::take(room * padded * size_of::<bf16>());
    let packed = SharedMut(packed.as_mut_ptr::<bf16>());
    pool.for_each(x.rows.div_ceil(PANEL), &|panel| {
        let rows = panel * PANEL..x.rows.min((panel + 1) * PANEL);
        // SAFETY: each panel has its own memory.
        let to = unsafe { packed.get().add(rows.start * padded) };
        simd::run(isa, Pack { x: x.range(rows), to });
    })?;
    let packed = Shared(packed.get().cast_const());

    let count = call.rows_per_piece(PANEL..=MAX_ROWS, PANEL);
    // Blocks of about the same size.
    let blocks = x.columns.div_ceil(BLOCK).max(1);
    let block = x.columns.div_ceil(blocks).max(1).next_multiple_of(STEP);
    call.for_each_piece(count, &|product, rows| {
        let mut copy = Scratch::take(PANEL * block * size_of::<bf16>());
        let sums = rows.len().next_multiple_of(PANEL) * room;
        let mut sums = Scratch::take(sums * size_of::<f32>());
        let piece = RowsOfWeight {
            x: packed.get(),
            count: x.rows,
            padded,
            product,
            first,
            next: rows.start + count * pool.threads(),
            rows,
            block,
            copy: copy.as_mut_ptr(),
            sums: sums.as_mut_ptr(),
        };
        simd::run(isa, piece);
    })
}

/// Packs a panel of `x`, a step of columns after the other: for each, one or two tiles, whose rows
/// are pairs of columns and whose columns are the rows of `x`.
struct Pack<'a, X> {
    x: Matrix<'a, X>,
    /// Memory for whole tiles; missing elements are filled with 0.
    to: *mut bf16,
}

impl<X: Element> Task for Pack<'_, X> {
    type Output = ();
    const ISAS: &'static [Isa] = &[Isa::Amx];

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let Pack { x, mut to } = self;
        for start in (0..x.columns).step_by(STEP) {
            for rows in (0..x.rows).step_by(SIDE) {
                // SAFETY: within the matrix, whose elements are `bf16`; there is memory for whole
                // tiles.
                unsafe {
                    let mut tile = [_mm512_setzero_si512(); SIDE];
                    for row in 0..SIDE.min(x.rows - rows) {
                        let from = x.data.as_ptr().add((rows + row) * x.stride + start);
                        tile[row] = load(from.cast(), STEP.min(x.columns - start));
                    }
                    let tile = turned(tile);
                    for pair in 0..SIDE {
                        _mm512_store_si512(to.add(pair * STEP).cast(), tile[pair]);
                    }
                    to = to.add(ELEMENTS);
                }
            }
        }
    }
}

/// All panels of `x` times some rows of the weight.
struct RowsOfWeight<'a, 'p, W, Y> {
    x: *const bf16,
    /// Rows of `x`, and its columns rounded up.
    count: usize,
    padded: usize,
    product: &'a Linear<'p, W, Y>,
    /// The first result row of `x`.
    first: usize,
    /// Rows of the weight.
    rows: Range<usize>,
    /// The row of the weight with which this thread probably continues.
    next: usize,
    /// The maximum number of columns of a block.
    block: usize,
    /// Memory for a block of a panel of the weight.
    copy: *mut bf16,
    /// The tiles of sums: for each of the weight, those of all of `x`.
    sums: *mut f32,
}

impl<W: Element, Y: Element> Task for RowsOfWeight<'_, '_, W, Y> {
    type Output = ();
    const ISAS: &'static [Isa] = &[Isa::Amx];

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let weight = &self.product.weight;
        // SAFETY: the caller passes as many rows and columns as declared, and chose these
        // instructions; the columns of the result belong only to this piece.
        unsafe {
            let tiles = Tiles::configure();
            for strip in strips(weight, self.rows.clone(), self.next, [PANEL, self.block]) {
                self.strip::<S>(&tiles, strip);
            }
            drop(tiles);
            self.finish();
        }
    }
}

impl<W: Element, Y: Element> RowsOfWeight<'_, '_, W, Y> {
    /// Adds the products of a block of columns to the sums; that of the first column sets them.
    #[inline(always)]
    unsafe fn strip<S: Simd>(&self, tiles: &Tiles, strip: Strip) {
        let Strip { rows, columns, mut ahead } = strip;
        let weight = &self.product.weight;
        let steps = columns.len().div_ceil(STEP);
        let panels = self.count.div_ceil(PANEL);
        let is_whole = rows.len() == PANEL && columns.len().is_multiple_of(STEP);
        // SAFETY: within the weight, the packed operand and the sums.
        unsafe {
            let (at, stride, step) = if is_whole && panels < COPIED {
                let at = weight.data.as_ptr().add(rows.start * weight.stride + columns.start);
                (at.cast(), weight.stride * size_of::<bf16>(), ROW)
            } else {
                self.copied(rows.clone(), columns.clone());
                (self.copy.cast_const().cast(), ROW, 2 * SIDE * ROW)
            };
            let block = Block {
                at,
                stride,
                step,
                steps,
                is_first: columns.start == 0,
                fetched: ahead.lines().div_ceil((panels * steps).max(1)),
            };
            let turns = self.count.div_ceil(SIDE);
            let group = (rows.start - self.rows.start) / SIDE;
            for panel in 0..panels {
                let first = panel * PANEL;
                let sums =
                    [0, 1].map(|half| self.sums.add(((group + half) * turns + 2 * panel) * TILE));
                let x = self.x.add(first * self.padded);
                if self.count - first > SIDE {
                    let x = x.add(columns.start * PANEL).cast();
                    block.times::<S, true>(tiles, x, sums, &mut ahead);
                } else {
                    let x = x.add(columns.start * SIDE).cast();
                    block.times::<S, false>(tiles, x, sums, &mut ahead);
                }
            }
        }
    }

    /// Copies a block of the weight, tile by tile; missing elements are 0.
    #[inline(always)]
    unsafe fn copied(&self, rows: Range<usize>, columns: Range<usize>) {
        let weight = &self.product.weight;
        for at in 0..PANEL {
            for (step, start) in columns.clone().step_by(STEP).enumerate() {
                let half = at / SIDE;
                // SAFETY: within the weight, whose elements are `bf16`, and the copy.
                unsafe {
                    let values = if at < rows.len() {
                        let from = (rows.start + at) * weight.stride + start;
                        let count = STEP.min(columns.end - start);
                        load(weight.data.as_ptr().add(from).cast(), count)
                    } else {
                        _mm512_setzero_si512()
                    };
                    let to = (2 * step + half) * ELEMENTS + at % SIDE * STEP;
                    _mm512_store_si512(self.copy.add(to).cast(), values);
                }
            }
        }
    }

    /// Stores the sums, which are turned.
    #[inline(always)]
    unsafe fn finish(&self) {
        let Linear { bias, y, .. } = self.product;
        let turns = self.count.div_ceil(SIDE);
        for start in (0..self.rows.len()).step_by(SIDE) {
            let columns =
                self.rows.start + start..self.rows.end.min(self.rows.start + start + SIDE);
            for turn in 0..turns {
                // SAFETY: within the sums and the result.
                unsafe {
                    let sums = self.sums.add((start / SIDE * turns + turn) * TILE);
                    let mut tile = [_mm512_setzero_si512(); SIDE];
                    for row in 0..SIDE {
                        tile[row] = _mm512_load_si512(sums.add(row * SIDE).cast());
                    }
                    let tile = turned(tile);
                    for row in 0..SIDE.min(self.count - turn * SIDE) {
                        let y = y.part(self.first + turn * SIDE + row, columns.clone());
                        if bias.is_none() && stored(y, tile[row]) {
                            continue;
                        }
                        let mut sums = [0.0_f32; SIDE];
                        _mm512_storeu_si512(sums.as_mut_ptr().cast(), tile[row]);
                        if let Some(bias) = bias {
                            for at in 0..columns.len() {
                                sums[at] += bias[columns.start + at].to_f32();
                            }
                        }
                        for at in 0..columns.len() {
                            y[at] = Y::from_f32(sums[at]);
                        }
                    }
                }
            }
        }
    }
}

/// Stores a whole row of sums, if there is an instruction for its type.
///
/// # Safety
/// The processor has AVX-512 F.
#[inline(always)]
unsafe fn stored<Y: Element>(y: &mut [Y], sums: __m512i) -> bool {
    let to = y.as_mut_ptr();
    // SAFETY: by the contract of this function; the row is whole.
    unsafe {
        match Y::NAME {
            _ if y.len() != SIDE => return false,
            "f32" => _mm512_storeu_si512(to.cast(), sums),
            "bf16" => _mm256_storeu_si256(to.cast(), narrowed(sums)),
            _ => return false,
        }
    }
    true
}

/// A block of a panel of the weight.
struct Block {
    at: *const u8,
    /// Bytes between rows, and between steps of columns.
    stride: usize,
    step: usize,
    steps: usize,
    is_first: bool,
    /// Lines of the next strip to prefetch in each step.
    fetched: usize,
}

impl Block {
    /// Adds the products with a panel of `x`, of two tiles or one, to the sums.
    ///
    /// # Safety
    /// The pointers reach as many elements; see also [`Simd`].
    #[inline(always)]
    unsafe fn times<S: Simd, const TWO: bool>(
        &self,
        tiles: &Tiles,
        x: *const u8,
        sums: [*mut f32; 2],
        ahead: &mut Ahead,
    ) {
        // SAFETY: by the contract of this function.
        unsafe {
            if self.is_first {
                tiles.zero::<0>();
                tiles.zero::<1>();
                if TWO {
                    tiles.zero::<2>();
                    tiles.zero::<3>();
                }
            } else {
                tiles.load::<0>(sums[0].cast_const().cast(), ROW);
                tiles.load::<1>(sums[1].cast_const().cast(), ROW);
                if TWO {
                    tiles.load::<2>(sums[0].add(TILE).cast_const().cast(), ROW);
                    tiles.load::<3>(sums[1].add(TILE).cast_const().cast(), ROW);
                }
            }
            let bytes = ELEMENTS * size_of::<bf16>();
            for step in 0..self.steps {
                ahead.fetch::<S>(self.fetched);
                let weight = self.at.add(step * self.step);
                let x = x.add(step * bytes * if TWO { 2 } else { 1 });
                tiles.load::<4>(weight, self.stride);
                tiles.load::<6>(x, ROW);
                tiles.multiply::<0, 4, 6>();
                tiles.load::<5>(weight.add(SIDE * self.stride), self.stride);
                tiles.multiply::<1, 5, 6>();
                if TWO {
                    tiles.load::<7>(x.add(bytes), ROW);
                    tiles.multiply::<2, 4, 7>();
                    tiles.multiply::<3, 5, 7>();
                }
            }
            tiles.store::<0>(sums[0], ROW);
            tiles.store::<1>(sums[1], ROW);
            if TWO {
                tiles.store::<2>(sums[0].add(TILE), ROW);
                tiles.store::<3>(sums[1].add(TILE), ROW);
            }
        }
    }
}
