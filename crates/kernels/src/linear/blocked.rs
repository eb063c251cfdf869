//! Many rows: weights are brought into the form of a tile once for all of them.
//!
//! `x` is packed into tiles of up to six rows. A piece of work takes some rows of the weight, strip by strip: it packs a block of
//! a strip's columns, which then stays in the first-level cache, and multiplies it with one tile of `x` after the other, which come
//! from the second-level cache. Meanwhile the next strip is on its way from memory.

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

/// Rows of the weight whose columns of a block stay in the first-level cache, with a tile of `x`.
const STRIP: usize = 8;

/// The most columns of a block.
const COLUMNS: usize = 768;

/// Bytes of a cache line.
const LINE: usize = 64;

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
fn tiles(isa: Isa, rows: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
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
        .next_multiple_of(STRIP);
    // Blocks of about the same size.
    let blocks = x.columns.div_ceil(COLUMNS).max(1);
    let room = x.columns.div_ceil(blocks).max(1).next_multiple_of(width);
    call.for_each_piece(count, &|product, rows| {
        let Linear { weight, y, .. } = product;
        let stride = rows.len().next_multiple_of(WEIGHTS);
        let mut panel = Scratch::take(STRIP * room * size_of::<P::X>());
        let mut sums = Scratch::take(x.rows * stride * size_of::<f32>());
        let (panel, sums) = (panel.as_mut_ptr::<P::X>(), sums.as_mut_ptr::<f32>());
        let piece = Piece::<W, P> {
            isa,
            x: packed.get(),
            rows: x.rows,
            padded,
            weight: weight.range(rows.clone()),
            split,
            room,
            panel,
            sums,
            stride,
        };
        simd::run(isa, piece);
        for row in 0..x.rows {
            for (place, column) in rows.clone().enumerate() {
                // SAFETY: within the sums and the result, whose columns belong to this piece alone.
                unsafe {
                    let sum = *sums.add(row * stride + place);
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

/// All tiles of `x` times some rows of the weight.
struct Piece<'a, W, P: tile::Product> {
    isa: Isa,
    x: *const P::X,
    /// Rows of `x`, and their columns rounded up.
    rows: usize,
    padded: usize,
    weight: Matrix<'a, W>,
    /// How the weight is packed.
    split: bool,
    /// Columns of a block, for [`STRIP`] rows of which there is room in the panel.
    room: usize,
    panel: *mut P::X,
    /// The sums, as `stride` for each row of `x`.
    sums: *mut f32,
    stride: usize,
}

impl<W: Element, P: tile::Product> Task for Piece<'_, W, P> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let columns = self.weight.columns;
        let mut strips = (0..columns.max(1))
            .step_by(self.room)
            .flat_map(|column| {
                let columns = column..columns.min(column + self.room);
                let rows = (0..self.weight.rows).step_by(STRIP);
                rows.map(move |row| Strip {
                    rows: row..self.weight.rows.min(row + STRIP),
                    columns: columns.clone(),
                })
            })
            .peekable();
        while let Some(strip) = strips.next() {
            let ahead = Ahead::new(&self.weight, strips.peek());
            // SAFETY: the caller gives as many rows and columns as it says.
            unsafe { self.strip::<S>(&strip, ahead) };
        }
    }
}

/// A part of a weight whose packed form stays in the first-level cache.
struct Strip {
    rows: Range<usize>,
    columns: Range<usize>,
}

/// The strip that is needed next, line by line.
struct Ahead {
    at: *const u8,
    /// The end of the row.
    end: *const u8,
    /// Bytes from the end of a row to the beginning of the next.
    skip: usize,
    row: usize,
    /// Cache lines.
    lines: usize,
}

impl Ahead {
    #[inline(always)]
    fn new<W>(weight: &Matrix<'_, W>, strip: Option<&Strip>) -> Ahead {
        let Some(Strip { rows, columns }) = strip else {
            return Ahead {
                at: std::ptr::null(),
                end: std::ptr::null(),
                skip: 0,
                row: 0,
                lines: 0,
            };
        };
        let at = weight
            .data
            .as_ptr()
            .wrapping_add(rows.start * weight.stride + columns.start)
            .cast::<u8>();
        let row = columns.len() * size_of::<W>();
        Ahead {
            at,
            end: at.wrapping_add(row),
            skip: weight.stride * size_of::<W>() - row,
            row,
            lines: rows.len() * row.div_ceil(LINE),
        }
    }

    /// Asks for the next `count` lines.
    #[inline(always)]
    unsafe fn fetch<S: Simd>(&mut self, count: usize) {
        for _ in 0..count {
            // SAFETY: by the contract of [`Simd`].
            unsafe { S::prefetch_far(self.at) };
            self.at = self.at.wrapping_add(LINE);
            if self.at >= self.end {
                self.at = self.end.wrapping_add(self.skip);
                self.end = self.at.wrapping_add(self.row);
            }
        }
    }
}

impl<W: Element, P: tile::Product> Piece<'_, W, P> {
    #[inline(always)]
    unsafe fn strip<S: Simd>(&self, strip: &Strip, mut ahead: Ahead) {
        let Strip { rows, columns } = strip;
        let width = 2 * S::LANES;
        let steps = columns.len().div_ceil(width);
        let groups = rows.len().div_ceil(WEIGHTS);
        for group in 0..groups {
            let first = rows.start + group * WEIGHTS;
            let pack = Pack {
                from: &self.weight.data[first * self.weight.stride + columns.start..],
                stride: self.weight.stride,
                rows: WEIGHTS,
                present: WEIGHTS.min(rows.end - first),
                columns: columns.len(),
                // SAFETY: there is room for a strip.
                to: unsafe { self.panel.add(group * WEIGHTS * self.room) },
                split: self.split,
            };
            // SAFETY: as above.
            unsafe { pack.run::<S>() };
        }
        let tiles = tiles(self.isa, self.rows);
        let turns = tiles.len() * groups * steps;
        let block = Block::<P> {
            x: self.x,
            padded: self.padded,
            column: columns.start,
            steps,
            panel: self.panel,
            room: self.room,
            groups,
            // SAFETY: within the sums.
            sums: unsafe { self.sums.add(rows.start) },
            stride: self.stride,
            fetched: ahead.lines.div_ceil(turns.max(1)),
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

/// All tiles of `x` times a packed strip of the weight.
struct Block<P: tile::Product> {
    x: *const P::X,
    padded: usize,
    /// The first column, and steps of a tile from there.
    column: usize,
    steps: usize,
    panel: *const P::X,
    room: usize,
    /// Groups of rows of the weight.
    groups: usize,
    /// The sums, as `stride` for each row of `x`: set by the block of the first column, added to by the others.
    sums: *mut f32,
    stride: usize,
    /// Lines of the next strip that are asked for in each step.
    fetched: usize,
}

impl<P: tile::Product> Block<P> {
    /// `R` rows of `x` times all rows of the panel.
    #[inline(always)]
    unsafe fn tiles<S: Simd, const R: usize>(&self, row: usize, ahead: &mut Ahead) {
        // SAFETY: by the contract of `run`.
        unsafe {
            let x = self.x.add(row * self.padded + self.column * R);
            for group in 0..self.groups {
                self.tile::<S, R>(row, x, group, ahead);
            }
        }
    }

    #[inline(always)]
    unsafe fn tile<S: Simd, const R: usize>(&self, row: usize, x: *const P::X, group: usize, ahead: &mut Ahead) {
        let width = 2 * S::LANES;
        let n = group * WEIGHTS;
        // SAFETY: by the contract of `run`.
        unsafe {
            let panel = self.panel.add(n * self.room);
            let mut acc = [[S::splat(0.0); WEIGHTS]; R];
            for step in 0..self.steps {
                ahead.fetch::<S>(self.fetched);
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
