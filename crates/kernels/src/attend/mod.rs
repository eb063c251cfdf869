//! Attention of tokens to a cache of keys and values.
//!
//! The positions that are seen are cut into blocks, which threads take one by one. For each block the queries that share a head
//! of keys keep the largest product so far, the sum of exponentials relative to it, and the weighted sum of the values; the
//! blocks of a head are put together in the end. So each key and each value is read once, and those that nobody sees not at all.
//! Where there are many queries, threads share them out instead: [`many`].

mod many;

use crate::{
    Element, Error, Isa, Matrix, Pool,
    exp::exp,
    linear::{STREAMED_ROWS, Shared, SharedMut, Stream},
    scratch::Scratch,
    simd::{self, Simd, Task},
    tile::{Pack, Wide},
};
use std::ops::Range;

/// The operands of [`attend`].
#[derive(Debug)]
pub struct Attention<'a, Q, C> {
    /// Tokens that ask.
    pub seq: usize,
    /// Heads of keys and values.
    pub kv_heads: usize,
    /// Queries of a token that share a head of keys.
    pub group: usize,
    /// Positions of the cache.
    pub positions: usize,
    /// Elements of a head.
    pub dim: usize,
    /// `[seq, kv_head, group, dim]`, scaled.
    pub query: &'a [Q],
    /// `[kv_head, position, dim]`.
    pub key: &'a [C],
    /// `[kv_head, position, dim]`.
    pub value: &'a [C],
    /// `[seq, position]`: 0 for a position that a token does not see. All are seen when there is no mask.
    pub mask: Option<&'a [u8]>,
    /// `[kv_head, seq, group, dim]`.
    pub out: &'a mut [f32],
}

/// Positions of a block.
const BLOCK: usize = 512;

/// Positions whose products are kept at a time.
const CHUNK: usize = 64;

/// Queries of a head from which on each has a lane of a vector.
const MANY: usize = 32;

/// Bytes of keys and values below which other threads are not woken up.
const SMALL: usize = 256 << 10;

/// The mean of the values, weighted for each query by the softmax of its products with the keys that it sees; NaN for a token that
/// sees none.
///
/// # Errors
/// [`Error::Size`]: the operands' sizes do not fit. [`Error::Panicked`]: see [`Pool::for_each`].
///
/// # Panics
/// The processor has no such instructions as `isa`.
pub fn attend<Q: Element, C: Element>(isa: Isa, pool: &dyn Pool, attention: Attention<'_, Q, C>) -> Result<(), Error> {
    assert!(isa.is_available(), "the processor has no {isa}");
    let Attention {
        seq,
        kv_heads,
        group,
        positions,
        dim,
        query,
        key,
        value,
        mask,
        out,
    } = attention;
    let product = |sizes: &[usize]| {
        sizes
            .iter()
            .try_fold(1, |product: usize, &size| product.checked_mul(size))
            .unwrap_or(usize::MAX)
    };
    Error::check(
        "elements of the query",
        product(&[seq, kv_heads, group, dim]),
        query.len(),
    )?;
    Error::check("elements of the key", product(&[kv_heads, positions, dim]), key.len())?;
    Error::check(
        "elements of the value",
        product(&[kv_heads, positions, dim]),
        value.len(),
    )?;
    Error::check("elements of the result", query.len(), out.len())?;
    if let Some(mask) = mask {
        Error::check("elements of the mask", product(&[seq, positions]), mask.len())?;
    }
    if out.is_empty() {
        return Ok(());
    }

    let (start, end) = seen(mask, positions);
    if seq * group >= MANY {
        let seen = Seen {
            seq,
            kv_heads,
            group,
            positions,
            dim,
            query,
            key,
            value,
            mask,
            start,
            end,
        };
        return many::attend(isa, pool, seen, out);
    }
    let blocks = (end - start).div_ceil(BLOCK);
    let rows = seq * group;
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
            query,
            seq,
            kv_heads,
            group,
            head,
            dim,
            padded,
            key: rows_of(key),
            value: rows_of(value),
            count: BLOCK.min(end - start),
            mask: mask.map(|mask| Matrix {
                data: mask,
                rows: seq,
                columns: positions,
                stride: positions,
            }),
            start,
            // SAFETY: each piece has room of its own.
            to: unsafe { shared.get().add(piece * partial) },
        };
        simd::run(isa, block);
    };
    let pieces = kv_heads * blocks;
    match 2 * kv_heads * (end - start) * dim * size_of::<C>() < SMALL {
        true => (0..pieces).for_each(work),
        false => pool.for_each(pieces, &work)?,
    }

    for (head, out) in out.chunks_exact_mut(rows * dim).enumerate() {
        // SAFETY: the pieces have filled it, and all are done.
        let partials =
            unsafe { std::slice::from_raw_parts(shared.get().add(head * blocks * partial), blocks * partial) };
        for (row, out) in out.chunks_exact_mut(dim).enumerate() {
            combine::<C>(partials, partial, rows, row, padded, simd::lanes(isa), out);
        }
    }
    Ok(())
}

/// The operands of [`attend`] and what of them is read: positions from `start` to `end`.
struct Seen<'a, Q, C> {
    seq: usize,
    kv_heads: usize,
    group: usize,
    positions: usize,
    dim: usize,
    query: &'a [Q],
    key: &'a [C],
    value: &'a [C],
    mask: Option<&'a [u8]>,
    start: usize,
    end: usize,
}

impl<Q, C> Clone for Seen<'_, Q, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q, C> Copy for Seen<'_, Q, C> {}

/// From the first position that a token sees to behind the last.
fn seen(mask: Option<&[u8]>, positions: usize) -> (usize, usize) {
    let Some(mask) = mask else { return (0, positions) };
    let (mut start, mut end) = (positions, 0);
    for mask in mask.chunks_exact(positions.max(1)) {
        if let Some(first) = mask.iter().position(|&seen| seen != 0) {
            start = start.min(first);
            end = end.max(1 + mask.iter().rposition(|&seen| seen != 0).unwrap_or(first));
        }
    }
    (start.min(end), end)
}

/// Puts the blocks of a query together.
fn combine<C: Element>(
    partials: &[f32],
    partial: usize,
    rows: usize,
    row: usize,
    padded: usize,
    lanes: usize,
    out: &mut [f32],
) {
    let most = partials
        .chunks_exact(partial)
        .map(|block| block[row])
        .fold(f32::NEG_INFINITY, f32::max);
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
    out.iter_mut().for_each(|out| *out /= sum);
}

/// The queries of one head and some positions of its cache.
struct Block<'a, Q, C> {
    isa: Isa,
    query: &'a [Q],
    seq: usize,
    kv_heads: usize,
    group: usize,
    head: usize,
    dim: usize,
    padded: usize,
    key: Shared<C>,
    value: Shared<C>,
    /// Positions, of which `start` is the first.
    count: usize,
    start: usize,
    mask: Option<Matrix<'a, u8>>,
    to: *mut f32,
}

impl<Q: Element, C: Element> Task for Block<'_, Q, C> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let rows = self.seq * self.group;
        let mut packed = Scratch::take(STREAMED_ROWS * self.padded * size_of::<f32>());
        let packed = packed.as_mut_ptr::<f32>();
        let mut products = [0.0; CHUNK * STREAMED_ROWS];
        for first in (0..rows).step_by(STREAMED_ROWS) {
            let count = STREAMED_ROWS.min(rows - first);
            // SAFETY: there is room for so many rows, and the caller gives as many positions as it says.
            unsafe {
                for r in 0..count {
                    self.pack::<S>(first + r, r, count, packed);
                    self.to.add(first + r).write(f32::NEG_INFINITY);
                    self.to.add(rows + first + r).write(0.0);
                    std::slice::from_raw_parts_mut(self.weighted(rows, first + r), self.padded).fill(0.0);
                }
                for start in (0..self.count).step_by(CHUNK) {
                    let positions = CHUNK.min(self.count - start);
                    if !self.is_seen(first..first + count, start, positions) {
                        continue;
                    }
                    let stream = Stream::<Wide<C>> {
                        rows: count,
                        x: packed,
                        weight: self.key.get().add(start * self.dim),
                        stride: self.dim,
                        count: positions,
                        columns: self.dim,
                        sums: &mut products,
                    };
                    // By a call: the same code serves products with weights.
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
    /// Whether any of the queries sees any of the positions.
    #[inline(always)]
    fn is_seen(&self, rows: Range<usize>, start: usize, positions: usize) -> bool {
        let Some(mask) = self.mask else { return true };
        let tokens = rows.start / self.group..rows.end.div_ceil(self.group);
        tokens.into_iter().any(|token| {
            let seen = &mask.data[token * mask.stride + self.start + start..][..positions];
            seen.iter().any(|&seen| seen != 0)
        })
    }

    /// Where the weighted sum of a query stands.
    #[inline(always)]
    unsafe fn weighted(&self, rows: usize, row: usize) -> *mut f32 {
        // SAFETY: within the room of this block.
        unsafe { self.to.add(2 * rows + row * self.padded) }
    }

    /// Brings a query into the form that a tile reads, as row `r` of `count`.
    #[inline(always)]
    unsafe fn pack<S: Simd>(&self, row: usize, r: usize, count: usize, packed: *mut f32) {
        let (token, member) = (row / self.group, row % self.group);
        let start = ((token * self.kv_heads + self.head) * self.group + member) * self.dim;
        let width = 2 * S::LANES;
        // SAFETY: there is room for `count` rows.
        unsafe {
            for step in 0..self.padded / width {
                let pack = Pack {
                    from: &self.query[start + step * width..start + self.dim.min((step + 1) * width)],
                    stride: 0,
                    rows: 1,
                    present: 1,
                    columns: self.dim.min((step + 1) * width) - step * width,
                    to: packed.add((step * count + r) * width),
                    split: C::SPLIT,
                };
                pack.run::<S>();
            }
        }
    }

    /// Turns the products of a query with some keys into weights, and what was summed before into what it is beside them.
    #[inline(always)]
    unsafe fn weigh(&self, rows: usize, row: usize, start: usize, products: &mut [f32]) {
        // SAFETY: within the room of this block.
        let (most, sum, weighted) = unsafe {
            let weighted = std::slice::from_raw_parts_mut(self.weighted(rows, row), self.padded);
            (&mut *self.to.add(row), &mut *self.to.add(rows + row), weighted)
        };
        if let Some(mask) = self.mask {
            let seen = &mask.data[(row / self.group) * mask.stride + self.start + start..][..products.len()];
            for (product, &seen) in products.iter_mut().zip(seen) {
                *product = if seen == 0 { f32::NEG_INFINITY } else { *product };
            }
        }
        let mut largest = *most;
        for &product in &*products {
            largest = if product > largest || product.is_nan() {
                product
            } else {
                largest
            };
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

    /// Adds weighted values to the sums of `R` queries; gives `R`.
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
        // SAFETY: by the contract of `run`; the last elements of a value are read from a copy that is filled up with 0.
        unsafe {
            for column in (0..self.dim).step_by(width) {
                let mut acc = [[S::splat(0.0); 2]; R];
                for (r, acc) in acc.iter_mut().enumerate() {
                    let from = self.weighted(rows, row + r).add(column);
                    *acc = [S::load(from), S::load(from.add(S::LANES))];
                }
                let rest = self.dim - column;
                for position in 0..positions {
                    let from = self.value.get().add((start + position) * self.dim + column);
                    let mut last = [C::ZERO; crate::tile::MOST_STEP];
                    let from = match rest < width {
                        false => from,
                        true => {
                            std::ptr::copy_nonoverlapping(from, last.as_mut_ptr(), rest);
                            last.as_ptr()
                        }
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
