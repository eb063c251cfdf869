//! Some columns of a product of few rows.

use crate::{
    simd::{Simd, Task},
    tile,
};

/// The prefetch distance of weights in bytes.
const AHEAD: usize = 1024;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Some columns of `x` and of a group of rows of the weight.
pub(super) struct Part<P: tile::Product> {
    pub x: *const P::X,
    /// Elements of all rows of `x` in a step.
    pub x_stride: usize,
    pub weight: *const P::W,
    /// Elements from a row of the weight to the next.
    pub stride: usize,
    /// Steps of `2 * LANES` columns.
    pub steps: usize,
    /// All columns of a row that continues in memory, or 0.
    pub columns: usize,
}

impl<P: tile::Product> Part<P> {
    /// Adds the products of `R` rows of `x`, from the `first` on, and `N` of the weight; `CALLED`
    /// as a function of its own.
    ///
    /// # Safety
    /// The pointers reach as many elements; see also [`Simd`].
    #[inline(always)]
    pub unsafe fn add<S: Simd, const R: usize, const N: usize, const CALLED: bool>(
        &self,
        first: usize,
        sums: &mut [[S::V; N]; R],
    ) {
        let Self { x_stride, weight, stride, steps, .. } = *self;
        let sums = (&raw mut *sums).cast();
        let tile = Tile::<'_, P, R, N> { part: self, first, sums };
        // SAFETY: by the contract of this function.
        unsafe {
            if !CALLED {
                return tile.run::<S>();
            }
            let x = self.x.add(2 * first * S::LANES);
            if !P::steps::<S, R, N>(sums, x, x_stride, weight, stride, steps) {
                S::call(tile);
            }
        }
    }

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
}

/// `R` rows of a part of `x` times `N` rows of the weight.
struct Tile<'a, P: tile::Product, const R: usize, const N: usize> {
    part: &'a Part<P>,
    /// The first of the rows.
    first: usize,
    /// Vectors, `[R, N]`, to which the products are added.
    sums: *mut f32,
}

impl<P: tile::Product, const R: usize, const N: usize> Task for Tile<'_, P, R, N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let Self { part, first, sums } = self;
        let sums = sums.cast::<[[S::V; N]; R]>();
        // SAFETY: by the contract of `Part::add`; the sums are vectors of `S`.
        unsafe {
            let x = part.x.add(2 * first * S::LANES);
            let Part { x_stride, weight, stride, steps, .. } = *part;
            let mut acc = *sums;
            for step in 0..steps {
                let weight = weight.add(2 * step * S::LANES);
                if S::REGISTERS >= 32 && part.columns > 0 {
                    part.prefetch::<S, N>(weight, step);
                }
                P::step::<S, R, N>(&mut acc, x.add(step * x_stride), weight, stride);
            }
            *sums = acc;
        }
    }
}
