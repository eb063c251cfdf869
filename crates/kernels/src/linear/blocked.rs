//! Many rows: weights are brought into the form of a tile once for all of them.
//!
//! `x` is packed into tiles of up to six rows. A piece of work takes some rows of the weight, packs a block of their columns,
//! which then stays in the second-level cache, and multiplies it with one tile of `x` after the other, each of which stays in the
//! first-level cache meanwhile.

use super::{Call, Linear, stream::Shared};
use crate::{
    Element, Error, Isa, Matrix,
    scratch::Scratch,
    simd::{self, Simd, Task},
    tile::{self, MOST_SUMS, Pack, Pairs, Wide},
};
use std::ops::Range;

/// Rows of `x` that are multiplied with a packed weight.
pub(super) const ROWS: usize = 256;

/// Rows of the weight in a tile.
const WEIGHTS: usize = 4;

/// Columns of a block.
const COLUMNS: usize = 1024;

/// Rows of the weight in a piece of work.
const PIECE: std::ops::RangeInclusive<usize> = 16..=64;

pub(super) fn product<X: Element, W: Element, Y: Element>(
    call: &Call<'_, '_, W, Y>,
    x: Matrix<'_, X>,
    rows: Range<usize>,
) -> Result<(), Error> {
    match call.in_pairs::<X>() {
        true => blocked::<X, W, Y, Pairs>(call, x.range(rows.clone()), rows.start),
        false => blocked::<X, W, Y, Wide<f32>>(call, x.range(rows.clone()), rows.start),
    }
}

/// The rows of `x` of each tile, of about the same size. A tile's sums stay in the processor's vectors.
fn tiles(isa: Isa, rows: usize) -> impl Iterator<Item = Range<usize>> {
    let most = match isa {
        Isa::Portable | Isa::Avx2 => 3,
        Isa::Avx512 | Isa::Avx512Bf16 | Isa::Neon => 6,
    };
    let count = rows.div_ceil(most);
    (0..count).map(move |tile| tile * rows / count..(tile + 1) * rows / count)
}

/// `x` stands from row `first` on in the result.
fn blocked<X: Element, W: Element, Y: Element, P: tile::Product>(
    call: &Call<'_, '_, W, Y>,
    x: Matrix<'_, X>,
    first: usize,
) -> Result<(), Error> {
    let Call { isa, pool, .. } = *call;
    let width = super::step(isa);
    let padded = x.columns.next_multiple_of(width);
    // Both sides in the same order: that which is quickest for the weight.
    let split = P::X::NAME == "f32" && W::SPLIT;
    let mut packed = Scratch::take(x.rows * padded * size_of::<P::X>());
    let packed = SharedMut(packed.as_mut_ptr::<P::X>());
    let all: Vec<_> = tiles(isa, x.rows).collect();
    pool.for_each(all.len(), &|tile| {
        let rows = all[tile].clone();
        let pack = Pack {
            from: &x.data[rows.start * x.stride..],
            stride: x.stride,
            rows: rows.len(),
            present: rows.len(),
            columns: x.columns,
            // SAFETY: each tile has room of its own.
            to: unsafe { packed.get().add(rows.start * padded) },
            split,
        };
        simd::run(isa, pack);
    })?;
    let packed = Shared(packed.get().cast_const());

    let total: usize = call.products.iter().map(|product| product.weight.rows).sum();
    let count = (total / (4 * pool.threads()))
        .clamp(*PIECE.start(), *PIECE.end())
        .next_multiple_of(WEIGHTS);
    call.for_each_piece(count, &|product, rows| {
        let Linear { weight, y, .. } = product;
        let groups = rows.len().div_ceil(WEIGHTS);
        let room = COLUMNS.min(padded);
        let mut panel = Scratch::take(groups * WEIGHTS * room * size_of::<P::X>());
        let mut sums = Scratch::take(x.rows * groups * WEIGHTS * size_of::<f32>());
        let (panel, sums) = (panel.as_mut_ptr::<P::X>(), sums.as_mut_ptr::<f32>());
        for column in (0..x.columns.max(1)).step_by(COLUMNS) {
            let columns = column..x.columns.min(column + COLUMNS);
            for group in 0..groups {
                let first = rows.start + group * WEIGHTS;
                // SAFETY: there is room for all groups.
                let to = unsafe { panel.add(group * WEIGHTS * room) };
                let pack = Pack {
                    from: &weight.data[first * weight.stride + columns.start..],
                    stride: weight.stride,
                    rows: WEIGHTS,
                    present: WEIGHTS.min(rows.end - first),
                    columns: columns.len(),
                    to,
                    split,
                };
                simd::run(isa, pack);
            }
            let block = Block::<P> {
                isa,
                x: packed.get(),
                rows: x.rows,
                padded,
                column: columns.start,
                steps: columns.len().div_ceil(width),
                panel,
                weights: rows.len(),
                room,
                sums,
                stride: groups * WEIGHTS,
            };
            simd::run(isa, block);
        }
        for row in 0..x.rows {
            for (place, column) in rows.clone().enumerate() {
                // SAFETY: within the sums and the result, whose columns belong to this piece alone.
                unsafe {
                    let sum = *sums.add(row * groups * WEIGHTS + place);
                    y.set(first + row, column, product.finish(sum, column));
                }
            }
        }
    })
}

/// Memory whose parts threads write.
pub(crate) struct SharedMut<T>(pub *mut T);

// SAFETY: threads write disjoint parts.
unsafe impl<T: Send> Sync for SharedMut<T> {}

impl<T> SharedMut<T> {
    pub fn get(&self) -> *mut T {
        self.0
    }
}

/// All tiles of `x` times a packed block of the weight.
struct Block<P: tile::Product> {
    isa: Isa,
    x: *const P::X,
    /// Rows of `x`, and their columns rounded up.
    rows: usize,
    padded: usize,
    /// The first column, and steps of a tile from there.
    column: usize,
    steps: usize,
    panel: *const P::X,
    /// Rows of the weight, and the columns that there is room for.
    weights: usize,
    room: usize,
    /// The sums, as `stride` for each row of `x`: set by the block of the first column, added to by the others.
    sums: *mut f32,
    stride: usize,
}

impl<P: tile::Product> Task for Block<P> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        for rows in tiles(self.isa, self.rows) {
            // SAFETY: the caller gives as many rows and columns as it says.
            unsafe {
                match rows.len() {
                    1 => self.tiles::<S, 1>(rows.start),
                    2 => self.tiles::<S, 2>(rows.start),
                    3 => self.tiles::<S, 3>(rows.start),
                    4 => self.tiles::<S, 4>(rows.start),
                    5 => self.tiles::<S, 5>(rows.start),
                    _ => self.tiles::<S, 6>(rows.start),
                }
            }
        }
    }
}

impl<P: tile::Product> Block<P> {
    /// `R` rows of `x` times all rows of the panel.
    #[inline(always)]
    unsafe fn tiles<S: Simd, const R: usize>(&self, row: usize) {
        // SAFETY: by the contract of `run`.
        unsafe {
            let x = self.x.add(row * self.padded + self.column * R);
            for n in (0..self.weights).step_by(WEIGHTS) {
                self.tile::<S, R>(row, x, n);
            }
        }
    }

    #[inline(always)]
    unsafe fn tile<S: Simd, const R: usize>(&self, row: usize, x: *const P::X, n: usize) {
        let width = 2 * S::LANES;
        // SAFETY: by the contract of `run`.
        unsafe {
            let panel = self.panel.add(n * self.room);
            let mut acc = [[S::splat(0.0); WEIGHTS]; R];
            for step in 0..self.steps {
                P::step::<S, R, WEIGHTS>(
                    &mut acc,
                    x.add(step * R * width),
                    panel.add(step * WEIGHTS * width).cast(),
                    width,
                );
            }
            let mut out = [0.0; MOST_SUMS];
            tile::sums::<S, R, WEIGHTS>(&acc, &mut out);
            for r in 0..R {
                let sums = std::slice::from_raw_parts_mut(self.sums.add((row + r) * self.stride + n), WEIGHTS);
                for (sum, &more) in sums.iter_mut().zip(&out[WEIGHTS * r..][..WEIGHTS]) {
                    *sum = if self.column == 0 { more } else { *sum + more };
                }
            }
        }
    }
}
