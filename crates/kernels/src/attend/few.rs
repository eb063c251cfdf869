//! Attention of few queries, which read the cache together.
//!
//! The visible positions are split into blocks, which threads take one by one. For each block the
//! queries that share a key head keep the largest product so far, the sum of exponentials relative
//! to it, and the weighted sum of the values; at the end the blocks of a head are combined. So each
//! visible key and value is read once, and the others not at all.

use super::Seen;
use crate::{
    Element, Error, Isa, Pool,
    exp::exp,
    linear::{STREAMED_ROWS, Shared, SharedMut, Stream},
    scratch::Scratch,
    simd::{self, Simd, Task},
    tile::{Pack, Wide},
};
use std::ops::Range;

/// Positions per block.
const BLOCK: usize = 512;

/// Positions whose products are stored at a time.
const CHUNK: usize = 64;

/// Below this many bytes of keys and values no other threads are woken.
const SMALL: usize = 256 << 10;

/// As [`super::attend`], with checked operands.
pub(super) fn attend<Q: Element, C: Element>(
    isa: Isa,
    pool: &dyn Pool,
    seen: Seen<'_, Q, C>,
    out: &mut [f32],
) -> Result<(), Error> {
    let Seen { kv_heads, positions, dim, start, end, .. } = seen;
    let blocks = (end - start).div_ceil(BLOCK);
    let rows = seen.seq * seen.group;
    let padded = dim.next_multiple_of(crate::linear::step(isa));
    // For each block of a head: maxima, sums of exponentials, weighted sums.
    let partial = rows * (padded + 2);
    let mut partials = Scratch::take(kv_heads * blocks * partial * size_of::<f32>());
    let shared = SharedMut(partials.as_mut_ptr::<f32>());
    let work = |piece: usize| {
        let (head, block) = (piece / blocks, piece % blocks);
        let start = start + block * BLOCK;
        let rows_of = |cache: &[C]| Shared(cache[(head * positions + start) * dim..].as_ptr());
        let block = Block {
            isa,
            seen,
            head,
            padded,
            key: rows_of(seen.key),
            value: rows_of(seen.value),
            count: BLOCK.min(end - start),
            start,
            // SAFETY: each piece has its own memory.
            to: unsafe { shared.get().add(piece * partial) },
        };
        simd::run(isa, block);
    };
    let pieces = kv_heads * blocks;
    if 2 * kv_heads * (end - start) * dim * size_of::<C>() < SMALL {
        (0..pieces).for_each(work)
    } else {
        pool.for_each(pieces, &work)?
    }

    for (head, out) in out.chunks_exact_mut(rows * dim).enumerate() {
        // SAFETY: the pieces have filled it, and all have finished.
        let partials = unsafe {
            std::slice::from_raw_parts(shared.get().add(head * blocks * partial), blocks * partial)
        };
        for (row, out) in out.chunks_exact_mut(dim).enumerate() {
            combine::<C>(partials, partial, rows, row, padded, simd::lanes(isa), out);
        }
    }
    Ok(())
}

/// Combines the blocks of a query.
fn combine<C: Element>(
    partials: &[f32],
    partial: usize,
    rows: usize,
    row: usize,
    padded: usize,
    lanes: usize,
    out: &mut [f32],
) {
    let most =
        partials.chunks_exact(partial).map(|block| block[row]).fold(f32::NEG_INFINITY, f32::max);
    let (mut sum, dim) = (0.0, out.len());
    out.fill(0.0);
    for block in partials.chunks_exact(partial) {
        if block[row] == f32::NEG_INFINITY && block[rows + row] == 0.0 {
            continue;
        }
        let scale = exp(block[row] - most);
        sum += block[rows + row] * scale;
        let weighted = &block[2 * rows + row * padded..][..padded];
        for (step, out) in out.chunks_mut(2 * lanes).enumerate() {
            for (i, out) in out.iter_mut().enumerate() {
                let place = if C::SPLIT { i / 2 + i % 2 * lanes } else { i };
                *out += weighted[step * 2 * lanes + place] * scale;
            }
        }
    }
    debug_assert_eq!(out.len(), dim);
    // Nothing is visible: the weighted sums are zeros, and so is the result.
    if sum != 0.0 {
        out.iter_mut().for_each(|out| *out /= sum);
    }
}

/// The queries of one head and some positions of its cache.
struct Block<'a, Q, C> {
    isa: Isa,
    seen: Seen<'a, Q, C>,
    head: usize,
    padded: usize,
    key: Shared<C>,
    value: Shared<C>,
    /// Positions, of which `start` is the first.
    count: usize,
    start: usize,
    to: *mut f32,
}

impl<Q: Element, C: Element> Task for Block<'_, Q, C> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let rows = self.seen.seq * self.seen.group;
        let mut packed = Scratch::take(STREAMED_ROWS * self.padded * size_of::<f32>());
        let packed = packed.as_mut_ptr::<f32>();
        let mut products = [0.0; CHUNK * STREAMED_ROWS];
        for first in (0..rows).step_by(STREAMED_ROWS) {
            let count = STREAMED_ROWS.min(rows - first);
            // SAFETY: there is memory for this many rows, and the caller passes as many positions
            // as declared.
            unsafe {
                for r in 0..count {
                    self.pack::<S>(first + r, r, count, packed);
                    self.to.add(first + r).write(f32::NEG_INFINITY);
                    self.to.add(rows + first + r).write(0.0);
                    std::slice::from_raw_parts_mut(self.weighted(rows, first + r), self.padded)
                        .fill(0.0);
                }
                for start in (0..self.count).step_by(CHUNK) {
                    let positions = CHUNK.min(self.count - start);
                    if !self.is_seen(first..first + count, start, positions) {
                        continue;
                    }
                    let stream = Stream::<Wide<C>> {
                        rows: count,
                        x: packed,
                        weight: self.key.get().add(start * self.seen.dim),
                        stride: self.seen.dim,
                        count: positions,
                        columns: self.seen.dim,
                        sums: &mut products,
                        sums_stride: CHUNK,
                    };
                    // A function call: products with weights use the same code.
                    simd::run(self.isa, stream);
                    for r in 0..count {
                        let products = &mut products[r * CHUNK..][..positions];
                        self.weigh(rows, first + r, start, products);
                    }
                    self.add::<S>(rows, first, count, start, positions, &products);
                }
            }
        }
    }
}

impl<Q: Element, C: Element> Block<'_, Q, C> {
    /// Whether any of the queries attends to any of the positions.
    #[inline(always)]
    fn is_seen(&self, rows: Range<usize>, start: usize, positions: usize) -> bool {
        let Some(mask) = self.seen.mask else { return true };
        let tokens = rows.start / self.seen.group..rows.end.div_ceil(self.seen.group);
        tokens.into_iter().any(|token| {
            let seen = &mask[token * self.seen.positions + self.start + start..][..positions];
            seen.iter().any(|&seen| seen != 0)
        })
    }

    /// The address of a query's weighted sum.
    #[inline(always)]
    unsafe fn weighted(&self, rows: usize, row: usize) -> *mut f32 {
        // SAFETY: within the memory of this block.
        unsafe { self.to.add(2 * rows + row * self.padded) }
    }

    /// Packs a query for a tile, as row `r` of `count`.
    #[inline(always)]
    unsafe fn pack<S: Simd>(&self, row: usize, r: usize, count: usize, packed: *mut f32) {
        let (token, member) = (row / self.seen.group, row % self.seen.group);
        let start =
            ((token * self.seen.kv_heads + self.head) * self.seen.group + member) * self.seen.dim;
        let width = 2 * S::LANES;
        // SAFETY: there is memory for `count` rows.
        unsafe {
            for step in 0..self.padded / width {
                let pack = Pack {
                    from: &self.seen.query
                        [start + step * width..start + self.seen.dim.min((step + 1) * width)],
                    stride: 0,
                    rows: 1,
                    present: 1,
                    columns: self.seen.dim.min((step + 1) * width) - step * width,
                    to: packed.add((step * count + r) * width),
                    split: C::SPLIT,
                };
                pack.run::<S>();
            }
        }
    }

    /// Turns the products of a query with some keys into weights, and rescales the earlier sums.
    #[inline(always)]
    unsafe fn weigh(&self, rows: usize, row: usize, start: usize, products: &mut [f32]) {
        // SAFETY: within the memory of this block.
        let (most, sum, weighted) = unsafe {
            let weighted = std::slice::from_raw_parts_mut(self.weighted(rows, row), self.padded);
            (&mut *self.to.add(row), &mut *self.to.add(rows + row), weighted)
        };
        if let Some(mask) = self.seen.mask {
            let seen = &mask[(row / self.seen.group) * self.seen.positions + self.start + start..]
                [..products.len()];
            for (product, &seen) in products.iter_mut().zip(seen) {
                *product = if seen == 0 { f32::NEG_INFINITY } else { *product };
            }
        }
        let mut largest = *most;
        for &product in &*products {
            largest = if product > largest || product.is_nan() { product } else { largest };
        }
        if largest == f32::NEG_INFINITY {
            products.fill(0.0);
            return;
        }
        if largest != *most {
            let scale = exp(*most - largest);
            *sum *= scale;
            for weighted in weighted {
                *weighted *= scale;
            }
            *most = largest;
        }
        let mut lanes = [0.0; 16];
        for products in products.chunks_mut(16) {
            for (lane, product) in lanes.iter_mut().zip(products) {
                *product = exp(*product - largest);
                *lane += *product;
            }
        }
        *sum += lanes.iter().sum::<f32>();
    }

    /// Adds weighted values to the sums of `count` queries.
    #[inline(always)]
    unsafe fn add<S: Simd>(
        &self,
        rows: usize,
        first: usize,
        count: usize,
        start: usize,
        positions: usize,
        weights: &[f32],
    ) {
        let most = if S::REGISTERS < 32 { 4 } else { 8 };
        let mut r = 0;
        while r < count {
            let (row, weights) = (first + r, &weights[r * CHUNK..]);
            let left = most.min(count - r);
            // SAFETY: by the contract of `run`.
            unsafe {
                r += match left {
                    1 => self.add_rows::<S, 1>(rows, row, start, positions, weights),
                    2 | 3 => self.add_rows::<S, 2>(rows, row, start, positions, weights),
                    4..8 => self.add_rows::<S, 4>(rows, row, start, positions, weights),
                    _ => self.add_rows::<S, 8>(rows, row, start, positions, weights),
                };
            }
        }
    }

    /// Adds weighted values to the sums of `R` queries; returns `R`.
    #[inline(always)]
    unsafe fn add_rows<S: Simd, const R: usize>(
        &self,
        rows: usize,
        row: usize,
        start: usize,
        positions: usize,
        weights: &[f32],
    ) -> usize {
        let width = 2 * S::LANES;
        // SAFETY: by the contract of `run`; the last elements of a value are read from a
        // zero-padded copy.
        unsafe {
            for column in (0..self.seen.dim).step_by(width) {
                let mut acc = [[S::splat(0.0); 2]; R];
                for (r, acc) in acc.iter_mut().enumerate() {
                    let from = self.weighted(rows, row + r).add(column);
                    *acc = [S::load(from), S::load(from.add(S::LANES))];
                }
                let rest = self.seen.dim - column;
                for position in 0..positions {
                    let from = self.value.get().add((start + position) * self.seen.dim + column);
                    let mut last = [C::ZERO; crate::tile::MAX_STEP];
                    let from = if rest < width {
                        std::ptr::copy_nonoverlapping(from, last.as_mut_ptr(), rest);
                        last.as_ptr()
                    } else {
                        from
                    };
                    let value = C::load::<S>(from);
                    for (r, acc) in acc.iter_mut().enumerate() {
                        let weight = S::splat(*weights.get_unchecked(r * CHUNK + position));
                        acc[0] = S::fma(weight, value[0], acc[0]);
                        acc[1] = S::fma(weight, value[1], acc[1]);
                    }
                }
                for (r, acc) in acc.iter().enumerate() {
                    let to = self.weighted(rows, row + r).add(column);
                    S::store(to, acc[0]);
                    S::store(to.add(S::LANES), acc[1]);
                }
            }
        }
        R
    }
}
