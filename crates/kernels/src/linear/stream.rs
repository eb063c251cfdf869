//! Matmul of few rows: each weight is read once, in place.

use super::{Call, Linear};
use crate::{
    Element, Error, Matrix,
    scratch::Scratch,
    simd::{self, Simd, Task},
    tile::{self, MOST_STEP, MOST_SUMS, Pack, Pairs, Stored, Wide},
};
use std::ops::{Range, RangeInclusive};

/// Bytes of weights per piece of work: large compared with the cost of distributing it, and with
/// what a thread waits for the first of them.
const PIECE_BYTES: RangeInclusive<usize> = 64 << 10..=512 << 10;

/// Rows of weights that are multiplied together.
const GROUP: usize = 4;

/// Rows of weights whose sums are kept before they are stored.
const MOST_ROWS: usize = 256;

pub(super) fn product<X: Element, W: Element, Y: Element>(
    call: &Call<'_, '_, W, Y>,
    x: Matrix<'_, X>,
) -> Result<(), Error> {
    match call.in_pairs::<X>() {
        true => stream::<X, W, Y, Pairs>(call, x),
        false => stream::<X, W, Y, Wide<W>>(call, x),
    }
}

fn stream<X: Element, W: Element, Y: Element, P: tile::Product>(
    call: &Call<'_, '_, W, Y>,
    x: Matrix<'_, X>,
) -> Result<(), Error> {
    let isa = call.isa;
    let padded = x.columns.next_multiple_of(super::step(isa));
    let mut packed = Scratch::take(x.rows * padded * size_of::<P::X>());
    let packed = packed.as_mut_ptr::<P::X>();
    let pack = Pack {
        from: x.data,
        stride: x.stride,
        rows: x.rows,
        present: x.rows,
        columns: x.columns,
        to: packed,
        split: P::X::NAME == "f32" && W::SPLIT,
    };
    simd::run(isa, pack);

    let row_bytes = (x.columns * size_of::<W>()).max(1);
    let [least, most] =
        [PIECE_BYTES.start(), PIECE_BYTES.end()].map(|bytes| (bytes / row_bytes).max(1));
    let count = call.rows_per_piece(least..=most, GROUP);
    let packed = Shared(packed);
    call.for_each_piece(count, &|product, rows| {
        let Linear { weight, y, .. } = product;
        let mut sums = [0.0; MOST_ROWS * super::STREAMED_ROWS];
        for start in rows.clone().step_by(MOST_ROWS) {
            let rows = start..rows.end.min(start + MOST_ROWS);
            let stream = Stream::<P> {
                rows: x.rows,
                x: packed.get(),
                // The same type: `Pairs` is chosen only for `bf16`.
                weight: weight.data[start * weight.stride..].as_ptr().cast(),
                stride: weight.stride,
                count: rows.len(),
                columns: x.columns,
                sums: &mut sums,
                sums_stride: MOST_ROWS,
            };
            simd::run(isa, stream);
            for (row, sums) in sums.chunks_exact(MOST_ROWS).take(x.rows).enumerate() {
                for (column, &sum) in rows.clone().zip(sums) {
                    // SAFETY: within the result, whose columns belong only to this piece.
                    unsafe { y.set(row, column, product.finish(sum, column)) };
                }
            }
        }
    })
}

/// Memory that threads read.
pub(crate) struct Shared<T>(pub *const T);

// SAFETY: while it is shared no thread writes it.
unsafe impl<T: Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub fn get(&self) -> *const T {
        self.0
    }
}

/// Some rows of the weight times all of `x`.
pub(crate) struct Stream<'a, P: tile::Product> {
    pub rows: usize,
    pub x: *const P::X,
    pub weight: *const P::W,
    pub stride: usize,
    pub count: usize,
    pub columns: usize,
    /// `count` sums for each row of `x`, `sums_stride` elements apart.
    pub sums: &'a mut [f32],
    pub sums_stride: usize,
}

impl<P: tile::Product> Task for Stream<'_, P> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        // SAFETY: the caller passes as many rows and columns as declared.
        unsafe {
            // As many rows of the weight as keep all sums in vector registers.
            if S::REGISTERS < 32 && self.rows * self.columns * size_of::<P::X>() > X_BYTES {
                match self.rows {
                    4 if !P::W::SPLIT => return self.rows::<S, 4, 0, 3, true>(),
                    // Both halves of a loaded vector are in registers.
                    6 if P::W::SPLIT => return self.rows::<S, 6, 0, 1, true>(),
                    6 => return self.rows::<S, 6, 0, 2, true>(),
                    7 if is_half::<P>() => return self.rows::<S, 4, 3, 2, true>(),
                    7 => return self.rows::<S, 4, 3, 3, true>(),
                    8 if is_half::<P>() => return self.rows::<S, 4, 4, 2, true>(),
                    8 => return self.rows::<S, 4, 4, 3, true>(),
                    _ => {}
                }
            }
            if S::REGISTERS < 32 {
                return match self.rows {
                    1 => self.rows::<S, 1, 0, 4, false>(),
                    2 => self.rows::<S, 2, 0, 4, false>(),
                    3 => self.rows::<S, 3, 0, 3, false>(),
                    4 if is_half::<P>() => self.rows::<S, 4, 0, 2, false>(),
                    4 => self.rows::<S, 4, 0, 3, false>(),
                    5 => self.rows::<S, 5, 0, 2, false>(),
                    6 => self.rows::<S, 6, 0, 1, false>(),
                    7 => self.rows::<S, 7, 0, 1, false>(),
                    _ => self.rows::<S, 8, 0, 1, false>(),
                };
            }
            match self.rows {
                1 => self.rows::<S, 1, 0, 4, false>(),
                2 => self.rows::<S, 2, 0, 4, false>(),
                3 => self.rows::<S, 3, 0, 4, false>(),
                4 => self.rows::<S, 4, 0, 4, false>(),
                5 => self.rows::<S, 5, 0, 2, false>(),
                6 => self.rows::<S, 6, 0, 2, false>(),
                7 => self.rows::<S, 7, 0, 2, false>(),
                _ => self.rows::<S, 8, 0, 2, false>(),
            }
        }
    }
}

impl<P: tile::Product> Stream<'_, P> {
    /// `R` rows of `x` and then `Q` more with `N` rows of the weight at a time; `IN_BLOCKS` of
    /// columns whose `x` stays in the L1 cache.
    #[inline(always)]
    unsafe fn rows<
        S: Simd,
        const R: usize,
        const Q: usize,
        const N: usize,
        const IN_BLOCKS: bool,
    >(
        mut self,
    ) {
        let block = match IN_BLOCKS {
            true => X_BYTES / size_of::<P::X>() / (R + Q) / MOST_STEP * MOST_STEP,
            false => self.columns.max(1),
        };
        let tiles = self.count / N;
        let spread = match S::REGISTERS < 32 {
            true => Spread { apart: tiles, next: 1 },
            false => Spread { apart: 1, next: N },
        };
        // Without columns the sums are set to 0.
        for start in (0..self.columns.max(1)).step_by(block) {
            let columns = start..self.columns.min(start + block);
            // SAFETY: by the contract of `run`.
            unsafe {
                for tile in 0..tiles {
                    let n = tile * spread.next;
                    self.tile::<S, R, N, IN_BLOCKS>(n, spread, 0, columns.clone());
                    if Q > 0 {
                        self.tile::<S, Q, N, IN_BLOCKS>(n, spread, R, columns.clone());
                    }
                }
                for n in tiles * N..self.count {
                    self.tile::<S, R, 1, IN_BLOCKS>(n, spread, 0, columns.clone());
                    if Q > 0 {
                        self.tile::<S, Q, 1, IN_BLOCKS>(n, spread, R, columns.clone());
                    }
                }
            }
        }
    }
}

/// Which rows of the weight are multiplied together.
///
/// Adjacent rows are read as one stream of memory, or as a few short ones. A processor that is left
/// to prefetch by itself reads several long streams faster, since it follows each of them: so each
/// row of a tile comes from another part of the rows.
#[derive(Clone, Copy)]
struct Spread {
    /// From a row of a tile to the next one.
    apart: usize,
    /// From the first row of a tile to that of the next tile.
    next: usize,
}

/// Whether weights have two bytes.
const fn is_half<P: tile::Product>() -> bool {
    size_of::<P::W>() < size_of::<f32>()
}

/// Bytes of the columns of `x` that stay in the L1 cache while rows of weights pass.
const X_BYTES: usize = 24 << 10;

/// The prefetch distance of weights in bytes.
const AHEAD: usize = 1024;

/// Bytes of a cache line.
const LINE: usize = 64;

impl<P: tile::Product> Stream<'_, P> {
    /// Prefetches what follows a step of `N` adjacent rows: their first columns of the step are at
    /// `weight`.
    #[inline(always)]
    unsafe fn prefetch<S: Simd, const N: usize>(&self, weight: *const P::W, step: usize) {
        let width = 2 * S::LANES;
        let [step_bytes, row_bytes, stride_bytes] =
            [width, self.columns, self.stride].map(|elements| elements * size_of::<P::W>());
        let weight = weight.cast::<u8>();
        // The next row is already read together with this one; past the row's end, prefetch `N`
        // rows further on.
        let is_behind = step * step_bytes + AHEAD >= row_bytes;
        let ahead = AHEAD + if is_behind { (N - 1) * stride_bytes } else { 0 };
        for row in 0..N {
            for line in (0..step_bytes).step_by(LINE) {
                // SAFETY: a hint, which never faults.
                unsafe { S::prefetch(weight.wrapping_add(ahead + row * stride_bytes + line)) };
            }
        }
    }

    /// Prefetches the same columns of the rows of the next tile.
    #[inline(always)]
    unsafe fn prefetch_rows<S: Simd, const N: usize>(&self, weight: *const P::W, spread: Spread) {
        let step_bytes = 2 * S::LANES * size_of::<P::W>();
        for row in 0..N {
            let row = row * spread.apart + spread.next;
            let row = weight.wrapping_add(row * self.stride).cast::<u8>();
            for line in (0..step_bytes).step_by(LINE) {
                // SAFETY: a hint, which never faults.
                unsafe { S::prefetch(row.wrapping_add(line)) };
            }
        }
    }

    /// Columns of `R` rows of `x` and `N` rows of the weight, from a row of each on.
    #[inline(always)]
    unsafe fn tile<S: Simd, const R: usize, const N: usize, const IN_BLOCKS: bool>(
        &mut self,
        n: usize,
        spread: Spread,
        first: usize,
        columns: Range<usize>,
    ) {
        let width = 2 * S::LANES;
        let steps = columns.start / width..columns.end / width;
        let stride = spread.apart * self.stride;
        // SAFETY: by the contract of `run`; the last columns are read from a zero-padded copy.
        unsafe {
            let weight = self.weight.add(n * self.stride);
            let x = self.x.add(first * width);
            let mut acc = [[S::splat(0.0); N]; R];
            for step in steps.clone() {
                let weight = weight.add(step * width);
                if IN_BLOCKS && first == 0 {
                    self.prefetch_rows::<S, N>(weight, spread);
                } else if !IN_BLOCKS && S::REGISTERS >= 32 {
                    self.prefetch::<S, N>(weight, step);
                }
                let x = x.add(step * self.rows * width);
                P::step::<S, R, N>(&mut acc, x, weight, stride);
            }
            let rest = columns.end - steps.end * width;
            if rest > 0 {
                let mut last = [[P::W::ZERO; MOST_STEP]; N];
                for (n, last) in last.iter_mut().enumerate() {
                    let row = weight.add(n * stride + steps.end * width);
                    std::ptr::copy_nonoverlapping(row, last.as_mut_ptr(), rest);
                }
                let x = x.add(steps.end * self.rows * width);
                P::step::<S, R, N>(&mut acc, x, last.as_ptr().cast(), MOST_STEP);
            }
            let mut out = [0.0; MOST_SUMS];
            tile::sums::<S, R, N>(&acc, &mut out);
            for r in 0..R {
                let sums = &mut self.sums[self.sums_stride * (first + r) + n..];
                for column in 0..N {
                    let (sum, out) = (&mut sums[column * spread.apart], out[N * r + column]);
                    *sum = if columns.start > 0 { *sum + out } else { out };
                }
            }
        }
    }
}
