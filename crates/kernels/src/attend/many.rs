//! Attention of many queries, with one vector lane per query.
//!
//! A piece of work takes as many queries of a head as two vectors have lanes, and iterates over
//! their visible positions block by block. Products, their maximum, the sum of exponentials and the
//! weighted sums of the values all stay in the query's lane, so nothing is reduced across lanes.
//! Keys and values are read element by element, from the L1 cache.

use super::Seen;
#[cfg(target_arch = "x86_64")]
use super::tiles::{self, Tiled};
#[cfg(target_arch = "x86_64")]
use crate::tile::are_bf16;
use crate::{
    Element, Error, Isa, Pool,
    exp::exp,
    linear::SharedMut,
    scratch::Scratch,
    simd::{self, Simd, Task},
};

/// Vectors of queries per piece of work, and the maximum number of their lanes.
const VECTORS: usize = 2;
const MAX_LANES: usize = 32;

/// Positions per block.
pub(super) const BLOCK: usize = 64;

/// Below this many multiplications no other threads are woken.
const SMALL: usize = 1 << 18;

/// As [`super::attend`], with checked operands.
pub(super) fn attend<Q: Element, C: Element>(
    isa: Isa,
    pool: &dyn Pool,
    seen: Seen<'_, Q, C>,
    out: &mut [f32],
) -> Result<(), Error> {
    let rows = seen.seq * seen.group;
    let lanes = VECTORS * simd::lanes(isa);
    let tiles = rows.div_ceil(lanes);
    let out = SharedMut(out.as_mut_ptr());
    #[cfg(target_arch = "x86_64")]
    let is_tiled = tiles::fit::<Q, C>(isa, seen.dim);
    let work = |piece: usize| {
        let (head, tile) = (piece / tiles, piece % tiles);
        // The last tokens see most: they come first, so that threads finish together.
        let first = (tiles - 1 - tile) * lanes;
        let tile = Tile {
            seen,
            head,
            first,
            count: lanes.min(rows - first),
            // SAFETY: rows of the result that belong only to this piece.
            out: unsafe { out.get().add((head * rows + first) * seen.dim) },
        };
        #[cfg(target_arch = "x86_64")]
        if const { are_bf16::<Q, C>() } && is_tiled {
            return simd::run(isa, Tiled(tile));
        }
        simd::run(isa, tile);
    };
    let pieces = seen.kv_heads * tiles;
    let multiplications = seen.kv_heads * rows * seen.dim * (seen.end - seen.start);
    if multiplications < SMALL {
        (0..pieces).for_each(work)
    } else {
        pool.for_each(pieces, &work)?
    }
    Ok(())
}

/// Some queries of a head.
pub(super) struct Tile<'a, Q, C> {
    pub seen: Seen<'a, Q, C>,
    pub head: usize,
    /// The first query, counted over all tokens, and the number of queries.
    pub first: usize,
    pub count: usize,
    /// `[count, dim]`.
    pub out: *mut f32,
}

/// The state of the queries, one per lane.
struct SoftmaxState {
    /// The largest product so far.
    most: [f32; MAX_LANES],
    /// The sum of exponentials, relative to it.
    total: [f32; MAX_LANES],
    /// The queries, `[dim, lanes]`.
    query: *mut f32,
    /// The weighted sums of the values, `[dim, lanes]`.
    sums: *mut f32,
    /// The products with the positions of a block, `[position, lanes]`.
    products: *mut f32,
    /// Keys or values of a block, if they are not `f32`.
    wide: *mut f32,
}

/// The visible positions of a block.
enum Visible {
    None,
    Some,
    All,
}

impl<Q: Element, C: Element> Task for Tile<'_, Q, C> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let Seen { dim, start, end, .. } = self.seen;
        let lanes = VECTORS * S::LANES;
        let mut scratch =
            Scratch::take((2 * dim * lanes + BLOCK * (lanes + dim)) * size_of::<f32>());
        let query = scratch.as_mut_ptr::<f32>();
        // SAFETY: there is memory for all of them; the caller passes as many queries and positions
        // as declared.
        unsafe {
            let sums = query.add(dim * lanes);
            let products = sums.add(dim * lanes);
            let mut state = SoftmaxState {
                most: [f32::NEG_INFINITY; MAX_LANES],
                total: [0.0; MAX_LANES],
                query,
                sums,
                products,
                wide: products.add(BLOCK * lanes),
            };
            std::slice::from_raw_parts_mut(query, 2 * dim * lanes).fill(0.0);
            self.pack(&state, lanes);
            for start in (start..end).step_by(BLOCK) {
                let positions = BLOCK.min(end - start);
                let visible = self.visible(start, positions);
                if matches!(visible, Visible::None) {
                    continue;
                }
                let key = self.block::<S>(self.seen.key, start, positions, state.wide);
                let products = Lanes {
                    x: query,
                    inner: (dim, 1),
                    other: key,
                    outer: (positions, dim),
                    to: products,
                };
                products.run::<S>(false);
                if matches!(visible, Visible::Some) {
                    self.hide(&state, lanes, start, positions);
                }
                state.weigh(dim, lanes, positions);
                let value = self.block::<S>(self.seen.value, start, positions, state.wide);
                let weighted = Lanes {
                    x: state.products,
                    inner: (positions, dim),
                    other: value,
                    outer: (dim, 1),
                    to: sums,
                };
                weighted.run::<S>(true);
            }
            for lane in 0..self.count {
                // Where nothing is visible, the weighted sums are zeros, and so is the result.
                let total = if state.total[lane] == 0.0 { 1.0 } else { state.total[lane] };
                for d in 0..dim {
                    let sum = *sums.add(d * lanes + lane);
                    self.out.add(lane * dim + d).write(sum / total);
                }
            }
        }
    }
}

impl<Q: Element, C: Element> Tile<'_, Q, C> {
    /// The first element of the query of a lane.
    #[inline(always)]
    pub fn query_of(&self, lane: usize) -> usize {
        let Seen { kv_heads, group, dim, .. } = self.seen;
        let (token, member) = ((self.first + lane) / group, (self.first + lane) % group);
        ((token * kv_heads + self.head) * group + member) * dim
    }

    /// Loads the queries into their lanes.
    #[inline(always)]
    unsafe fn pack(&self, state: &SoftmaxState, lanes: usize) {
        for lane in 0..self.count {
            let start = self.query_of(lane);
            for (d, x) in self.seen.query[start..start + self.seen.dim].iter().enumerate() {
                // SAFETY: there is memory for `lanes` queries.
                unsafe { state.query.add(d * lanes + lane).write(x.to_f32()) };
            }
        }
    }

    /// The part of a block that the tokens see.
    #[inline(always)]
    fn visible(&self, start: usize, positions: usize) -> Visible {
        let Some(mask) = self.seen.mask else {
            return Visible::All;
        };
        let (mut any, mut all) = (false, true);
        for token in self.first / self.seen.group..=(self.first + self.count - 1) / self.seen.group
        {
            for &seen in &mask[token * self.seen.positions + start..][..positions] {
                any |= seen != 0;
                all &= seen != 0;
            }
        }
        match (any, all) {
            (false, _) => Visible::None,
            (true, false) => Visible::Some,
            (true, true) => Visible::All,
        }
    }

    /// Sets the products with invisible positions to minus infinity.
    #[inline(always)]
    unsafe fn hide(&self, state: &SoftmaxState, lanes: usize, start: usize, positions: usize) {
        let Some(mask) = self.seen.mask else { return };
        for lane in 0..self.count {
            let token = (self.first + lane) / self.seen.group;
            let seen = &mask[token * self.seen.positions + start..][..positions];
            for (position, _) in seen.iter().enumerate().filter(|(_, seen)| **seen == 0) {
                // SAFETY: within the products.
                unsafe { state.products.add(position * lanes + lane).write(f32::NEG_INFINITY) };
            }
        }
    }

    /// The keys or values of some positions as `f32`, `[position, dim]`.
    #[inline(always)]
    unsafe fn block<S: Simd>(
        &self,
        cache: &[C],
        start: usize,
        positions: usize,
        wide: *mut f32,
    ) -> *const f32 {
        let Seen { dim, positions: all, .. } = self.seen;
        let from = &cache[(self.head * all + start) * dim..][..positions * dim];
        if C::NAME == f32::NAME {
            return from.as_ptr().cast();
        }
        let width = VECTORS * S::LANES;
        let whole = if C::SPLIT { 0 } else { from.len() / width * width };
        // SAFETY: there is memory for a block.
        unsafe {
            for i in (0..whole).step_by(width) {
                let [a, b] = C::load::<S>(from.as_ptr().add(i));
                S::store(wide.add(i), a);
                S::store(wide.add(i + S::LANES), b);
            }
            for i in whole..from.len() {
                wide.add(i).write(from.get_unchecked(i).to_f32());
            }
        }
        wide
    }
}

impl SoftmaxState {
    /// Turns products into weights, and rescales the earlier sums.
    #[inline(always)]
    unsafe fn weigh(&mut self, dim: usize, lanes: usize, positions: usize) {
        // SAFETY: within the products and the sums.
        let (products, sums) = unsafe {
            (
                std::slice::from_raw_parts_mut(self.products, positions * lanes),
                std::slice::from_raw_parts_mut(self.sums, dim * lanes),
            )
        };
        let mut largest = self.most;
        for products in products.chunks_exact(lanes) {
            for lane in 0..lanes {
                // A NaN remains in the products.
                largest[lane] =
                    if products[lane] > largest[lane] { products[lane] } else { largest[lane] };
            }
        }
        // A query that has seen nothing yet has weights of 0.
        let (mut base, mut scale) = ([0.0; MAX_LANES], [0.0; MAX_LANES]);
        for lane in 0..lanes {
            base[lane] = if largest[lane] == f32::NEG_INFINITY { 0.0 } else { largest[lane] };
            scale[lane] = exp(self.most[lane] - base[lane]);
        }
        if self.most != largest {
            for sums in sums.chunks_exact_mut(lanes) {
                for lane in 0..lanes {
                    sums[lane] *= scale[lane];
                }
            }
        }
        let mut total = [0.0; MAX_LANES];
        for lane in 0..lanes {
            total[lane] = self.total[lane] * scale[lane];
        }
        for products in products.chunks_exact_mut(lanes) {
            for lane in 0..lanes {
                products[lane] = exp(products[lane] - base[lane]);
                total[lane] += products[lane];
            }
        }
        (self.most, self.total) = (largest, total);
    }
}

/// Lanes times numbers that all lanes share: `to[j] = sum over i of x[i] * other[i, j]`, where each
/// of `to` and `x` has as many vectors as a piece of work.
struct Lanes {
    x: *const f32,
    /// The number of addends, and their stride in `other`.
    inner: (usize, usize),
    other: *const f32,
    /// The number of results, and their stride in `other`.
    outer: (usize, usize),
    to: *mut f32,
}

impl Lanes {
    /// Adds to the earlier values, if `more`.
    ///
    /// # Safety
    /// As for [`Simd`].
    #[inline(always)]
    unsafe fn run<S: Simd>(&self, more: bool) {
        let mut j = 0;
        // SAFETY: by the contract of this function.
        unsafe {
            if S::REGISTERS >= 32 {
                while j + 8 <= self.outer.0 {
                    self.tile::<S, 8>(j, more);
                    j += 8;
                }
            }
            while j + 4 <= self.outer.0 {
                self.tile::<S, 4>(j, more);
                j += 4;
            }
            while j < self.outer.0 {
                self.tile::<S, 1>(j, more);
                j += 1;
            }
        }
    }

    /// `N` results, from `j` on.
    #[inline(always)]
    unsafe fn tile<S: Simd, const N: usize>(&self, j: usize, more: bool) {
        let lanes = VECTORS * S::LANES;
        // SAFETY: by the contract of `run`.
        unsafe {
            let to = self.to.add(j * lanes);
            let mut acc = [[S::splat(0.0); VECTORS]; N];
            if more {
                for (n, acc) in acc.iter_mut().enumerate() {
                    let to = to.add(n * lanes);
                    *acc = [S::load(to), S::load(to.add(S::LANES))];
                }
            }
            for i in 0..self.inner.0 {
                let x = self.x.add(i * lanes);
                let x = [S::load(x), S::load(x.add(S::LANES))];
                let other = self.other.add(i * self.inner.1 + j * self.outer.1);
                for (n, acc) in acc.iter_mut().enumerate() {
                    let other = S::splat(*other.add(n * self.outer.1));
                    acc[0] = S::fma(x[0], other, acc[0]);
                    acc[1] = S::fma(x[1], other, acc[1]);
                }
            }
            for (n, acc) in acc.iter().enumerate() {
                let to = to.add(n * lanes);
                S::store(to, acc[0]);
                S::store(to.add(S::LANES), acc[1]);
            }
        }
    }
}
