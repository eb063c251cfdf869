//! Matmul of few rows: each weight is read once, in place.

use super::{Call, part::PartialProduct, results::Finish};
use crate::{
    Element, Error, Isa, Matrix,
    scratch::Scratch,
    simd::{self, Simd, Steps, Task},
    tile::{self, MAX_STEP, MAX_SUMS, Pack, Pairs, Wide, are_bf16},
};
use std::ops::RangeInclusive;

/// Bytes of weights per piece of work: large compared with the cost of distributing it, and with
/// what a thread waits for the first of them.
const PIECE_BYTES: RangeInclusive<usize> = 64 << 10..=512 << 10;

/// Pieces have a multiple of these rows, so that few are left over by tiles of 2, 3 or 4.
const GROUP: usize = 12;

/// Rows of weights whose sums are kept before they are stored.
const MAX_ROWS: usize = 21 * GROUP;

pub(super) fn product<X: Element, W: Element, Y: Element>(
    call: &Call<'_, '_, W, Y>,
    x: Matrix<'_, X>,
) -> Result<(), Error> {
    if const { are_bf16::<X, W>() } && call.isa == Isa::Avx512Bf16 {
        return stream::<X, W, Y, Pairs>(call, x);
    }
    stream::<X, W, Y, Wide<W>>(call, x)
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
        let weight = &product.weight;
        let mut sums = [0.0; MAX_ROWS * super::STREAMED_ROWS];
        for start in rows.clone().step_by(MAX_ROWS) {
            let rows = start..rows.end.min(start + MAX_ROWS);
            let stream = Stream::<P> {
                rows: x.rows,
                x: packed.get(),
                // The same type: `Pairs` is chosen only for `bf16`.
                weight: weight.data[start * weight.stride..].as_ptr().cast(),
                stride: weight.stride,
                count: rows.len(),
                columns: x.columns,
                sums: &mut sums,
                sums_stride: MAX_ROWS,
            };
            simd::run(isa, stream);
            let finish = Finish {
                results: product.results(),
                first: 0,
                count: x.rows,
                columns: rows,
                sums: sums.as_ptr(),
                stride: MAX_ROWS,
            };
            simd::run(isa, finish);
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
    const ISAS: &'static [Isa] = P::ISAS;

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        // SAFETY: the caller passes as many rows and columns as declared.
        unsafe {
            // As many rows of the weight as keep all sums in vector registers.
            if const { S::REGISTERS < 32 } {
                return match self.rows {
                    1 => self.rows::<S, 1, 0, 4>(),
                    2 => self.rows::<S, 2, 0, 4>(),
                    3 => self.rows::<S, 3, 0, 3>(),
                    4 => self.rows::<S, 4, 0, 3>(),
                    5 => self.rows::<S, 5, 0, 2>(),
                    6 => self.rows::<S, 6, 0, 2>(),
                    7 => self.rows::<S, 4, 3, 3>(),
                    _ => self.rows::<S, 4, 4, 3>(),
                };
            }
            match self.rows {
                1 => self.rows::<S, 1, 0, 4>(),
                2 => self.rows::<S, 2, 0, 4>(),
                3 => self.rows::<S, 3, 0, 4>(),
                4 => self.rows::<S, 4, 0, 4>(),
                5 => self.rows::<S, 5, 0, 2>(),
                6 => self.rows::<S, 6, 0, 2>(),
                7 => self.rows::<S, 7, 0, 2>(),
                _ => self.rows::<S, 8, 0, 2>(),
            }
        }
    }
}

/// The minimum number of columns for which a tile that is called saves more time than the call
/// takes.
const MIN_CALLED_COLUMNS: usize = 256;

/// Bytes of `x` that stay in the L1 cache while rows of weights pass.
const X_BYTES: usize = 24 << 10;

impl<P: tile::Product> Stream<'_, P> {
    /// `R` rows of `x`, and then `Q` more, with `N` rows of the weight at a time.
    ///
    /// Adjacent rows are read as one stream of memory, or as a few short ones. With few registers,
    /// each of the `N` rows comes from another part of the rows: processors of that kind read
    /// several long streams faster, since they follow each of them.
    #[inline(always)]
    unsafe fn rows<S: Simd, const R: usize, const Q: usize, const N: usize>(mut self) {
        let groups = self.count / N;
        // SAFETY: by the contract of `run`.
        unsafe {
            for group in 0..groups {
                let (n, apart) = if S::REGISTERS < 32 { (group, groups) } else { (group * N, 1) };
                let fills = const { S::CALLS && tile::fills_registers::<S>(R, N) };
                if fills && self.columns >= MIN_CALLED_COLUMNS {
                    self.group::<S, R, Q, N, true>(n, apart);
                } else {
                    self.group::<S, R, Q, N, false>(n, apart);
                }
            }
            for n in groups * N..self.count {
                self.group::<S, R, Q, 1, false>(n, 1);
            }
        }
    }

    /// Columns of the weight that stay in the L1 cache between two parts of `x`: more of them take
    /// less time for the sums, but displace more of what is read next.
    fn block(&self) -> usize {
        if self.rows * self.columns * size_of::<P::X>() <= X_BYTES {
            512 / size_of::<P::W>()
        } else {
            128
        }
    }

    /// `N` rows of the weight: row `n`, and others at a distance of `apart` rows.
    #[inline(always)]
    unsafe fn group<S: Simd, const R: usize, const Q: usize, const N: usize, const CALLED: bool>(
        &mut self,
        n: usize,
        apart: usize,
    ) {
        let width = 2 * S::LANES;
        let steps = self.columns / width;
        let block = if Q > 0 { self.block() / width } else { steps.max(1) };
        // SAFETY: by the contract of `run`; the last columns are read from a zero-padded copy.
        unsafe {
            let zero = S::splat(0.0);
            let mut sums = [[zero; N]; R];
            let mut later = [[zero; N]; Q];
            let weight = self.weight.add(n * self.stride);
            let mut part = PartialProduct::<P> {
                steps: Steps {
                    x: self.x,
                    x_stride: self.rows * width,
                    weight,
                    stride: apart * self.stride,
                    count: 0,
                },
                columns: self.columns,
            };
            for start in (0..steps).step_by(block) {
                part.steps.x = self.x.add(start * part.steps.x_stride);
                part.steps.weight = weight.add(start * width);
                part.steps.count = block.min(steps - start);
                part.add::<S, R, N, CALLED>(0, &mut sums);
                if const { Q > 0 } {
                    part.add::<S, Q, N, CALLED>(R, &mut later);
                }
            }
            let rest = self.columns - steps * width;
            if rest > 0 {
                let mut last = [[P::W::ZERO; MAX_STEP]; N];
                for (n, last) in last.iter_mut().enumerate() {
                    let row = weight.add(n * part.steps.stride + steps * width);
                    std::ptr::copy_nonoverlapping(row, last.as_mut_ptr(), rest);
                }
                part.steps.x = self.x.add(steps * part.steps.x_stride);
                part.steps.weight = last.as_ptr().cast();
                part.steps.stride = MAX_STEP;
                part.steps.count = 1;
                part.columns = 0;
                part.add::<S, R, N, CALLED>(0, &mut sums);
                if const { Q > 0 } {
                    part.add::<S, Q, N, CALLED>(R, &mut later);
                }
            }
            self.store::<S, R, N>(&sums, 0, n, apart);
            if const { Q > 0 } {
                self.store::<S, Q, N>(&later, R, n, apart);
            }
        }
    }

    /// Stores the sums of a group, for rows of `x` from `r` on.
    #[inline(always)]
    unsafe fn store<S: Simd, const R: usize, const N: usize>(
        &mut self,
        sums: &[[S::V; N]; R],
        r: usize,
        n: usize,
        apart: usize,
    ) {
        let mut out = [0.0; MAX_SUMS];
        // SAFETY: by the contract of `run`.
        unsafe { tile::sums::<S, R, N>(sums, &mut out) };
        for at in 0..R {
            let sums = &mut self.sums[self.sums_stride * (r + at) + n..];
            for column in 0..N {
                sums[column * apart] = out[N * at + column];
            }
        }
    }
}
