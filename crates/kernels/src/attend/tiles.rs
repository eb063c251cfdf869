//! The products of attention to a cache of `bf16` by tiles (AMX).
//!
//! Keys are multiplied as they are stored; values are turned, so that the sums of a query stay in
//! its lane. A weight is multiplied as the sum of two `bf16`, which has 16 significant bits: it is
//! not rounded to the cache's type.

#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

use super::many::{BLOCK, Tile};
use crate::{
    Element, Isa,
    exp::{LN_2, MIN_EXPONENT, POLYNOMIAL},
    scratch::Scratch,
    simd::{
        Simd, Task,
        amx::{ELEMENTS, ROW, SIDE, STEP, Tiles, load, turned},
    },
};
use half::bf16;
use std::arch::x86_64::*;

/// The queries of a piece of work: two tiles.
const LANES: usize = 2 * SIDE;

/// Bytes between rows of products and sums.
const LANES_ROW: usize = LANES * size_of::<f32>();

/// Whether tiles multiply queries and a cache of these types.
pub(super) fn fit<Q: Element, C: Element>(isa: Isa, dim: usize) -> bool {
    isa == Isa::Amx && Q::NAME == "bf16" && C::NAME == "bf16" && dim.is_multiple_of(STEP)
}

/// A piece of work that tiles [`fit`].
pub(super) struct Tiled<'a, Q, C>(pub Tile<'a, Q, C>);

impl<Q: Element, C: Element> Task for Tiled<'_, Q, C> {
    type Output = ();
    const ISAS: &'static [Isa] = &[Isa::Amx];

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let Tiled(tile) = self;
        let dim = tile.seen.dim;
        let wide = (dim * LANES + BLOCK * LANES) * size_of::<f32>();
        let narrow = (dim * LANES + 2 * dim * BLOCK + 2 * BLOCK * LANES) * size_of::<bf16>();
        let mut scratch = Scratch::take(wide + narrow);
        let sums = scratch.as_mut_ptr::<f32>();
        // SAFETY: there is memory for all of them; the caller passes as many queries and positions
        // as declared, and chose these instructions.
        unsafe {
            let products = sums.add(dim * LANES);
            let query = products.add(BLOCK * LANES).cast::<bf16>();
            let values = query.add(dim * LANES);
            // A copy of a block that ends with the cache.
            let copy = values.add(dim * BLOCK);
            let weights = copy.add(dim * BLOCK);
            let weights = [weights, weights.add(BLOCK * LANES)];
            std::slice::from_raw_parts_mut(sums, dim * LANES).fill(0.0);
            let mut softmax = [Softmax::new(), Softmax::new()];
            tile.pack_pairs(query);
            let tiles = Tiles::configure();
            for start in (tile.seen.start..tile.seen.end).step_by(BLOCK) {
                let positions = BLOCK.min(tile.seen.end - start);
                let visible = tile.visible_lanes(start, positions);
                if visible.iter().all(|lanes| *lanes == 0) {
                    continue;
                }
                let keys = tile.keys(start, positions, copy);
                multiply_keys(&tiles, [keys, query], products, positions, dim);
                for (half, softmax) in softmax.iter_mut().enumerate() {
                    let products = products.add(half * SIDE);
                    let weights = weights.map(|weights| weights.add(half * ELEMENTS));
                    let scale = softmax.weigh(products, &visible, half, weights, positions);
                    if let Some(scale) = scale {
                        for row in 0..dim {
                            let sums = sums.add(row * LANES + half * SIDE);
                            _mm512_store_ps(sums, _mm512_mul_ps(_mm512_load_ps(sums), scale));
                        }
                    }
                }
                tile.turn_values(start, positions, values);
                add_values(&tiles, (values, weights), sums, positions, dim);
            }
            drop(tiles);
            for (half, softmax) in softmax.iter().enumerate() {
                tile.store(sums, half, softmax.total);
            }
        }
    }
}

impl<Q: Element, C: Element> Tile<'_, Q, C> {
    /// Packs the queries, whose pairs of elements are the rows of tiles: for each step of elements,
    /// one tile for each half of the queries. Missing ones are 0.
    ///
    /// # Safety
    /// There is memory for `dim * LANES` elements; the queries are `bf16`.
    #[inline(always)]
    unsafe fn pack_pairs(&self, to: *mut bf16) {
        let dim = self.seen.dim;
        for step in 0..dim / STEP {
            for half in 0..2 {
                // SAFETY: by the contract of this function.
                unsafe {
                    let mut tile = [_mm512_setzero_si512(); SIDE];
                    for lane in 0..SIDE.min(self.count.saturating_sub(half * SIDE)) {
                        let start = self.query_of(half * SIDE + lane) + step * STEP;
                        let query = &self.seen.query[start..start + STEP];
                        tile[lane] = load(query.as_ptr().cast(), STEP);
                    }
                    let tile = turned(tile);
                    let to = to.add((2 * step + half) * ELEMENTS);
                    for pair in 0..SIDE {
                        _mm512_storeu_si512(to.add(pair * STEP).cast(), tile[pair]);
                    }
                }
            }
        }
    }

    /// A bit for each lane that sees a position of a block.
    ///
    /// # Safety
    /// The processor has AVX-512 BW.
    #[inline(always)]
    unsafe fn visible_lanes(&self, start: usize, positions: usize) -> [u32; BLOCK] {
        let Some(mask) = self.seen.mask else { return [u32::MAX; BLOCK] };
        let read = u64::MAX >> (BLOCK - positions);
        let mut visible = [0; BLOCK];
        // SAFETY: by the contract of this function; of the mask no more is read than is there.
        unsafe {
            let mut lanes = [_mm512_setzero_si512(); BLOCK / SIDE];
            for lane in 0..self.count {
                let token = (self.first + lane) / self.seen.group;
                let seen = &mask[token * self.seen.positions + start..][..positions];
                let seen = _mm512_maskz_loadu_epi8(read, seen.as_ptr().cast());
                let seen = _mm512_test_epi8_mask(seen, seen);
                let bit = _mm512_set1_epi32(1 << lane);
                for part in 0..BLOCK / SIDE {
                    let seen = (seen >> (part * SIDE)) as u16;
                    lanes[part] = _mm512_mask_or_epi32(lanes[part], seen, lanes[part], bit);
                }
            }
            for part in 0..BLOCK / SIDE {
                _mm512_storeu_si512(visible.as_mut_ptr().add(part * SIDE).cast(), lanes[part]);
            }
        }
        visible
    }

    /// Stores the weighted means of one half of the lanes.
    ///
    /// # Safety
    /// The sums are `[dim, lanes]`.
    #[inline(always)]
    unsafe fn store(&self, sums: *const f32, half: usize, total: __m512) {
        let dim = self.seen.dim;
        for at in (0..dim).step_by(SIDE) {
            // SAFETY: by the contract of this function; the result has room for the lanes.
            unsafe {
                let mut tile = [_mm512_setzero_si512(); SIDE];
                for row in 0..SIDE {
                    let sums = _mm512_load_ps(sums.add((at + row) * LANES + half * SIDE));
                    tile[row] = _mm512_castps_si512(_mm512_div_ps(sums, total));
                }
                let tile = turned(tile);
                for lane in 0..SIDE.min(self.count.saturating_sub(half * SIDE)) {
                    let out = self.out.add((half * SIDE + lane) * dim + at);
                    _mm512_storeu_ps(out, _mm512_castsi512_ps(tile[lane]));
                }
            }
        }
    }

    /// The keys of a block, of which whole steps can be read.
    ///
    /// # Safety
    /// There is memory for a block at `copy`; the keys are `bf16`.
    #[inline(always)]
    unsafe fn keys(&self, start: usize, positions: usize, copy: *mut bf16) -> *const bf16 {
        let dim = self.seen.dim;
        let from = &self.seen.key[(self.head * self.seen.positions + start) * dim..];
        let (count, whole) = (positions * dim, positions.next_multiple_of(STEP) * dim);
        if from.len() >= whole {
            return from.as_ptr().cast();
        }
        // SAFETY: by the contract of this function.
        unsafe {
            let from = from[..count].as_ptr().cast::<bf16>();
            std::ptr::copy_nonoverlapping(from, copy, count);
            std::slice::from_raw_parts_mut(copy.add(count), whole - count).fill(bf16::ZERO);
        }
        copy
    }

    /// Turns the values of a block, a tile of [`SIDE`] elements after the other for each step of
    /// positions. Missing ones are 0.
    ///
    /// # Safety
    /// There is memory for a block; the values are `bf16`.
    #[inline(always)]
    unsafe fn turn_values(&self, start: usize, positions: usize, to: *mut bf16) {
        let dim = self.seen.dim;
        let from = (self.head * self.seen.positions + start) * dim;
        let from = &self.seen.value[from..from + positions * dim];
        for first in (0..positions).step_by(STEP) {
            for at in (0..dim).step_by(SIDE) {
                // SAFETY: by the contract of this function; the rows are within the slice.
                unsafe {
                    let row = |position: usize| {
                        if position < positions {
                            let row = from.as_ptr().add(position * dim + at);
                            _mm512_cvtepu16_epi32(_mm256_loadu_si256(row.cast()))
                        } else {
                            _mm512_setzero_si512()
                        }
                    };
                    let mut tile = [_mm512_setzero_si512(); SIDE];
                    for pair in 0..SIDE {
                        let odd = _mm512_slli_epi32::<16>(row(first + 2 * pair + 1));
                        tile[pair] = _mm512_or_si512(row(first + 2 * pair), odd);
                    }
                    let tile = turned(tile);
                    let to = to.add(first * dim + at * STEP);
                    for element in 0..SIDE {
                        _mm512_storeu_si512(to.add(element * STEP).cast(), tile[element]);
                    }
                }
            }
        }
    }
}

/// The products of the keys of a block with the queries, `[position, lanes]`.
///
/// # Safety
/// Whole steps of positions can be read and written.
#[inline(always)]
unsafe fn multiply_keys(
    tiles: &Tiles,
    [keys, query]: [*const bf16; 2],
    products: *mut f32,
    positions: usize,
    dim: usize,
) {
    let stride = dim * size_of::<bf16>();
    for position in (0..positions).step_by(STEP) {
        tiles.zero::<0>();
        tiles.zero::<1>();
        tiles.zero::<2>();
        tiles.zero::<3>();
        // SAFETY: by the contract of this function.
        unsafe {
            for step in 0..dim / STEP {
                let keys = keys.add(position * dim + step * STEP);
                let query = query.add(2 * step * ELEMENTS);
                tiles.load::<4>(keys.cast(), stride);
                tiles.load::<6>(query.cast(), ROW);
                tiles.multiply::<0, 4, 6>();
                tiles.load::<7>(query.add(ELEMENTS).cast(), ROW);
                tiles.multiply::<1, 4, 7>();
                tiles.load::<5>(keys.add(SIDE * dim).cast(), stride);
                tiles.multiply::<2, 5, 6>();
                tiles.multiply::<3, 5, 7>();
            }
            let to = products.add(position * LANES);
            tiles.store::<0>(to, LANES_ROW);
            tiles.store::<1>(to.add(SIDE), LANES_ROW);
            tiles.store::<2>(to.add(SIDE * LANES), LANES_ROW);
            tiles.store::<3>(to.add(SIDE * LANES + SIDE), LANES_ROW);
        }
    }
}

/// The softmax of one half of the lanes so far.
struct Softmax {
    /// The largest product.
    most: __m512,
    /// The sum of exponentials, relative to it.
    total: __m512,
}

impl Softmax {
    /// # Safety
    /// The processor has AVX-512 F.
    #[inline(always)]
    unsafe fn new() -> Softmax {
        // SAFETY: by the contract of this function.
        unsafe { Softmax { most: _mm512_set1_ps(f32::NEG_INFINITY), total: _mm512_setzero_ps() } }
    }

    /// Turns the products of a block into weights, each split into two `bf16`, which are packed as
    /// the queries are; missing ones are 0. Returns the factor of the earlier sums, if it is not 1.
    ///
    /// # Safety
    /// There is memory for whole steps of positions.
    #[inline(always)]
    unsafe fn weigh(
        &mut self,
        products: *const f32,
        visible: &[u32; BLOCK],
        half: usize,
        weights: [*mut bf16; 2],
        positions: usize,
    ) -> Option<__m512> {
        // SAFETY: by the contract of this function.
        unsafe {
            let hidden = _mm512_set1_ps(f32::NEG_INFINITY);
            let product = |position: usize| {
                let lanes = (visible[position] >> (half * SIDE)) as u16;
                _mm512_mask_loadu_ps(hidden, lanes, products.add(position * LANES))
            };
            let mut most = self.most;
            for position in 0..positions {
                // A NaN remains in the products.
                most = _mm512_max_ps(product(position), most);
            }
            // A query that has seen nothing yet has weights of 0.
            let sees = _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(most, hidden);
            let base = _mm512_maskz_mov_ps(sees, most);
            let is_larger = _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(most, self.most) != 0;
            let scale = exponential(_mm512_sub_ps(self.most, base));
            let mut total = _mm512_mul_ps(self.total, scale);
            let high = _mm512_set1_epi32(0xffff_0000_u32 as i32);
            for position in (0..positions.next_multiple_of(STEP)).step_by(2) {
                let mut parts = [[_mm512_setzero_si512(); 2]; 2];
                for odd in 0..2 {
                    if position + odd < positions {
                        let product = product(position + odd);
                        let weight = exponential(_mm512_sub_ps(product, base));
                        total = _mm512_add_ps(total, weight);
                        // Cut off, so that a NaN remains one.
                        let cut = _mm512_and_si512(_mm512_castps_si512(weight), high);
                        let rest = _mm512_sub_ps(weight, _mm512_castsi512_ps(cut));
                        let half = _mm512_set1_epi32(0x8000);
                        let rest = _mm512_add_epi32(_mm512_castps_si512(rest), half);
                        parts[0][odd] = cut;
                        parts[1][odd] = rest;
                    }
                }
                let to = position / STEP * 2 * ELEMENTS + position % STEP / 2 * STEP;
                for part in 0..2 {
                    let [even, odd] = parts[part];
                    let even = _mm512_srli_epi32::<16>(even);
                    let pairs = _mm512_or_si512(even, _mm512_and_si512(odd, high));
                    _mm512_storeu_si512(weights[part].add(to).cast(), pairs);
                }
            }
            (self.most, self.total) = (most, total);
            is_larger.then_some(scale)
        }
    }
}

/// As [`exp`](crate::exp::exp).
///
/// # Safety
/// The processor has AVX-512 F.
#[inline(always)]
unsafe fn exponential(x: __m512) -> __m512 {
    // SAFETY: by the contract of this function.
    unsafe {
        let n = _mm512_mul_ps(x, _mm512_set1_ps(std::f32::consts::LOG2_E));
        let n = _mm512_roundscale_ps::<0>(n);
        let r = _mm512_fnmadd_ps(n, _mm512_set1_ps(LN_2.0), x);
        let r = _mm512_fnmadd_ps(n, _mm512_set1_ps(LN_2.1), r);
        let mut y = _mm512_set1_ps(POLYNOMIAL[0]);
        for at in 1..POLYNOMIAL.len() {
            y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(POLYNOMIAL[at]));
        }
        let first = _mm512_add_ps(r, _mm512_set1_ps(1.0));
        let y = _mm512_scalef_ps(_mm512_fmadd_ps(y, _mm512_mul_ps(r, r), first), n);
        let is_zero = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, _mm512_set1_ps(MIN_EXPONENT));
        _mm512_mask_mov_ps(y, is_zero, _mm512_setzero_ps())
    }
}

/// Adds the weighted values of a block to the sums, `[dim, lanes]`.
///
/// # Safety
/// Whole steps of positions can be read.
#[inline(always)]
unsafe fn add_values(
    tiles: &Tiles,
    (values, weights): (*const bf16, [*mut bf16; 2]),
    sums: *mut f32,
    positions: usize,
    dim: usize,
) {
    for at in (0..dim).step_by(2 * SIDE) {
        // SAFETY: by the contract of this function.
        unsafe {
            let sums = sums.add(at * LANES);
            let places = [0, SIDE, SIDE * LANES, SIDE * LANES + SIDE].map(|place| sums.add(place));
            tiles.load::<0>(places[0].cast(), LANES_ROW);
            tiles.load::<1>(places[1].cast(), LANES_ROW);
            tiles.load::<2>(places[2].cast(), LANES_ROW);
            tiles.load::<3>(places[3].cast(), LANES_ROW);
            for step in 0..positions.div_ceil(STEP) {
                let values = values.add((step * dim + at) * STEP);
                tiles.load::<4>(values.cast(), ROW);
                tiles.load::<5>(values.add(ELEMENTS).cast(), ROW);
                for weights in weights {
                    let weights = weights.add(2 * step * ELEMENTS);
                    tiles.load::<6>(weights.cast(), ROW);
                    tiles.multiply::<0, 4, 6>();
                    tiles.multiply::<2, 5, 6>();
                    tiles.load::<7>(weights.add(ELEMENTS).cast(), ROW);
                    tiles.multiply::<1, 4, 7>();
                    tiles.multiply::<3, 5, 7>();
                }
            }
            tiles.store::<0>(places[0], LANES_ROW);
            tiles.store::<1>(places[1], LANES_ROW);
            tiles.store::<2>(places[2], LANES_ROW);
            tiles.store::<3>(places[3], LANES_ROW);
        }
    }
}
