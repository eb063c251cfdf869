//! Matmul of many rows, for processors with 32 vector registers: weights are packed into tiles once
//! for all rows.
//!
//! `x` is packed into tiles of up to six rows. A piece of work takes some rows of the weight, strip
//! by strip: it packs a block of a strip's columns, which then stays in the L1 cache, and
//! multiplies it with each tile of `x`, read from the L2 cache. Meanwhile the next strip is
//! prefetched from memory.

use super::{
    Call,
    results::Finish,
    stream::Shared,
    strips::{Ahead, Strip, strips},
};
use crate::{
    Element, Error, Isa, Matrix,
    scratch::Scratch,
    simd::{self, Simd, Task},
    tile::{self, MAX_SUMS, Pack, Pairs, Wide, are_bf16},
};
use std::ops::Range;

/// Rows of `x` per packed weight.
pub(super) const ROWS: usize = 256;

/// Rows of the weight per tile.
const WEIGHTS: usize = 4;

/// Rows of the weight whose block of columns stays in the L1 cache, together with a tile of `x`.
const STRIP: usize = 8;

/// The maximum number of columns of a block.
const COLUMNS: usize = 768;

/// Rows of the weight per piece of work.
const PIECE: std::ops::RangeInclusive<usize> = 16..=64;

pub(super) fn product<X: Element, W: Element, Y: Element>(
    call: &Call<'_, '_, W, Y>,
    x: Matrix<'_, X>,
    rows: Range<usize>,
) -> Result<(), Error> {
    let (first, x) = (rows.start, x.range(rows));
    if const { are_bf16::<X, W>() } && call.isa == Isa::Avx512Bf16 {
        return blocked::<X, W, Y, Pairs>(call, x, first);
    }
    blocked::<X, W, Y, Wide<f32>>(call, x, first)
}

/// The rows of `x` of each tile, of about the same size. A tile's sums stay in vector registers.
fn tiles(rows: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
    let count = rows.div_ceil(6);
    (0..count).map(move |tile| tile * rows / count..(tile + 1) * rows / count)
}

/// The result rows of `x` start at `first`.
fn blocked<X: Element, W: Element, Y: Element, P: tile::Product>(
    call: &Call<'_, '_, W, Y>,
    x: Matrix<'_, X>,
    first: usize,
) -> Result<(), Error> {
    let Call { isa, pool, .. } = *call;
    let width = super::step(isa);
    let padded = x.columns.next_multiple_of(width);
    // Both sides have the same element order: the one that is fastest for the weight.
    let split = P::X::NAME == "f32" && W::SPLIT;
    let mut packed = Scratch::take(x.rows * padded * size_of::<P::X>());
    let packed = SharedMut(packed.as_mut_ptr::<P::X>());
    let all: Vec<_> = tiles(x.rows).collect();
    pool.for_each(all.len(), &|tile| {
        let rows = all[tile].clone();
        let pack = Pack {
            from: &x.data[rows.start * x.stride..],
            stride: x.stride,
            rows: rows.len(),
            present: rows.len(),
            columns: x.columns,
            // SAFETY: each tile has its own memory.
            to: unsafe { packed.get().add(rows.start * padded) },
            split,
        };
        simd::run(isa, pack);
    })?;
    let packed = Shared(packed.get().cast_const());

    let count = call.rows_per_piece(PIECE, STRIP);
    // Blocks of about the same size.
    let blocks = x.columns.div_ceil(COLUMNS).max(1);
    let room = x.columns.div_ceil(blocks).max(1).next_multiple_of(width);
    call.for_each_piece(count, &|product, rows| {
        let stride = rows.len().next_multiple_of(WEIGHTS);
        let mut panel = Scratch::take(STRIP * room * size_of::<P::X>());
        let mut sums = Scratch::take(x.rows * stride * size_of::<f32>());
        let piece = RowsOfWeight::<W, P> {
            x: packed.get(),
            count: x.rows,
            padded,
            weight: product.weight,
            next: rows.start + count * pool.threads(),
            rows: rows.clone(),
            split,
            room,
            panel: panel.as_mut_ptr(),
            sums: sums.as_mut_ptr(),
            stride,
        };
        simd::run(isa, piece);
        let finish = Finish {
            results: product.results(),
            first,
            count: x.rows,
            columns: rows,
            sums: sums.as_mut_ptr(),
            stride,
        };
        simd::run(isa, finish);
    })
}

/// Memory whose parts are written by threads.
pub(crate) struct SharedMut<T>(pub *mut T);

// SAFETY: threads write disjoint parts.
unsafe impl<T: Send> Sync for SharedMut<T> {}

impl<T> SharedMut<T> {
    pub fn get(&self) -> *mut T {
        self.0
    }
}

/// All tiles of `x` times some rows of the weight.
struct RowsOfWeight<'a, W, P: tile::Product> {
    x: *const P::X,
    /// Rows of `x`, and their columns rounded up.
    count: usize,
    padded: usize,
    weight: Matrix<'a, W>,
    /// Rows of the weight.
    rows: Range<usize>,
    /// The row of the weight with which this thread probably continues.
    next: usize,
    /// The packing of the weight.
    split: bool,
    /// Columns of a block; the panel has room for [`STRIP`] rows of them.
    room: usize,
    panel: *mut P::X,
    /// The sums, with `stride` per row of `x`.
    sums: *mut f32,
    stride: usize,
}

impl<W: Element, P: tile::Product> Task for RowsOfWeight<'_, W, P> {
    type Output = ();
    const ISAS: &'static [Isa] = match P::ISAS {
        [Isa::Avx512Bf16] => P::ISAS,
        _ => &[Isa::Avx512, Isa::Neon],
    };

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        for strip in strips(&self.weight, self.rows.clone(), self.next, [STRIP, self.room]) {
            // SAFETY: the caller passes as many rows and columns as declared.
            unsafe { self.strip::<S>(strip) };
        }
    }
}

impl<W: Element, P: tile::Product> RowsOfWeight<'_, W, P> {
    #[inline(always)]
    unsafe fn strip<S: Simd>(&self, strip: Strip) {
        let Strip { rows, columns, mut ahead } = strip;
        let weight = &self.weight;
        let width = 2 * S::LANES;
        let steps = columns.len().div_ceil(width);
        let groups = rows.len().div_ceil(WEIGHTS);
        // Whole groups of whole steps are packed while the first tile uses them.
        let in_passing = if columns.len().is_multiple_of(width) { rows.len() / WEIGHTS } else { 0 };
        for group in in_passing..groups {
            let first = rows.start + group * WEIGHTS;
            let pack = Pack {
                from: &weight.data[first * weight.stride + columns.start..],
                stride: weight.stride,
                rows: WEIGHTS,
                present: WEIGHTS.min(rows.end - first),
                columns: columns.len(),
                // SAFETY: there is memory for a strip.
                to: unsafe { self.panel.add(group * WEIGHTS * self.room) },
                split: self.split,
            };
            // SAFETY: as above.
            unsafe { pack.run::<S>() };
        }
        let tiles = tiles(self.count);
        let turns = tiles.len() * groups * steps;
        let block = Block::<W, P> {
            x: self.x,
            padded: self.padded,
            column: columns.start,
            steps,
            weight: weight.data
                [(rows.start * weight.stride + columns.start).min(weight.data.len())..]
                .as_ptr(),
            weight_stride: weight.stride,
            in_passing,
            panel: self.panel,
            room: self.room,
            groups,
            // SAFETY: within the sums.
            sums: unsafe { self.sums.add(rows.start - self.rows.start) },
            stride: self.stride,
            fetched: ahead.lines().div_ceil(turns.max(1)),
        };
        for rows in tiles {
            // SAFETY: by the contract of `run`.
            unsafe {
                match rows.len() {
                    1 => block.tiles::<S, 1>(rows.start, &mut ahead),
                    2 => block.tiles::<S, 2>(rows.start, &mut ahead),
                    3 => block.tiles::<S, 3>(rows.start, &mut ahead),
                    4 => block.tiles::<S, 4>(rows.start, &mut ahead),
                    5 => block.tiles::<S, 5>(rows.start, &mut ahead),
                    _ => block.tiles::<S, 6>(rows.start, &mut ahead),
                }
            }
        }
    }
}

/// All tiles of `x` times a strip of the weight.
struct Block<W, P: tile::Product> {
    x: *const P::X,
    padded: usize,
    /// The first column, and steps of a tile from there.
    column: usize,
    steps: usize,
    /// The strip in memory.
    weight: *const W,
    weight_stride: usize,
    /// The number of groups that the first tile packs.
    in_passing: usize,
    panel: *mut P::X,
    room: usize,
    /// Groups of rows of the weight.
    groups: usize,
    /// The sums, with `stride` per row of `x`: the block of the first column sets them, the others
    /// add to them.
    sums: *mut f32,
    stride: usize,
    /// Lines of the next strip to prefetch in each step.
    fetched: usize,
}

impl<W: Element, P: tile::Product> Block<W, P> {
    /// `R` rows of `x` times all rows of the panel.
    #[inline(always)]
    unsafe fn tiles<S: Simd, const R: usize>(&self, row: usize, ahead: &mut Ahead) {
        // SAFETY: by the contract of `run`.
        unsafe {
            let x = self.x.add(row * self.padded + self.column * R);
            for group in 0..self.groups {
                if row == 0 && group < self.in_passing {
                    self.tile::<S, R, true>(row, x, group, ahead);
                } else {
                    self.tile::<S, R, false>(row, x, group, ahead);
                }
            }
        }
    }

    /// `R` rows of `x` times a group of rows, which are packed if `PACK`.
    #[inline(always)]
    unsafe fn tile<S: Simd, const R: usize, const PACK: bool>(
        &self,
        row: usize,
        x: *const P::X,
        group: usize,
        ahead: &mut Ahead,
    ) {
        let width = 2 * S::LANES;
        let n = group * WEIGHTS;
        // SAFETY: by the contract of `run`.
        unsafe {
            let weight = self.weight.wrapping_add(n * self.weight_stride);
            let panel = self.panel.add(n * self.room);
            let mut acc = [[S::splat(0.0); WEIGHTS]; R];
            for step in 0..self.steps {
                ahead.fetch::<S>(self.fetched);
                let (x, panel) = (x.add(step * R * width), panel.add(step * WEIGHTS * width));
                if PACK {
                    let weight = weight.add(step * width);
                    P::step_and_pack::<S, R, WEIGHTS, W>(
                        &mut acc,
                        x,
                        weight,
                        self.weight_stride,
                        panel,
                    );
                } else {
                    P::step::<S, R, WEIGHTS>(&mut acc, x, panel.cast_const().cast(), width);
                }
            }
            let mut out = [0.0; MAX_SUMS];
            tile::sums::<S, R, WEIGHTS>(&acc, &mut out);
            for r in 0..R {
                let sums = std::slice::from_raw_parts_mut(
                    self.sums.add((row + r) * self.stride + n),
                    WEIGHTS,
                );
                for (sum, &more) in sums.iter_mut().zip(&out[WEIGHTS * r..][..WEIGHTS]) {
                    *sum = if self.column == 0 { more } else { *sum + more };
                }
            }
        }
    }
}
