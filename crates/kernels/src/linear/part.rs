//! Some columns of a product of few rows.

use crate::{
    simd::{STREAM_AHEAD, Simd, Steps, Task},
    tile,
};

/// The prefetch distance of adjacent rows in bytes.
const AHEAD: usize = 1024;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Some columns of `x` and of a group of rows of the weight.
pub(super) struct PartialProduct<P: tile::Product> {
    pub steps: Steps<P::X, P::W>,
    /// All columns of a row that continues in memory, or 0.
    pub columns: usize,
}

impl<P: tile::Product> PartialProduct<P> {
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
        let sums = (&raw mut *sums).cast();
        // SAFETY: by the contract of this function.
        unsafe {
            let steps = Steps { x: self.steps.x.add(2 * first * S::LANES), ..self.steps };
            let tile =
                Tile::<P, R, N> { part: PartialProduct { steps, columns: self.columns }, sums };
            if !CALLED {
                tile.run::<S>();
            } else if !S::add::<_, _, R, N>(steps, sums) {
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
            [width, self.columns, self.steps.stride].map(|elements| elements * size_of::<P::W>());
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
struct Tile<P: tile::Product, const R: usize, const N: usize> {
    part: PartialProduct<P>,
    /// Vectors, `[R, N]`, to which the products are added.
    sums: *mut f32,
}

impl<P: tile::Product, const R: usize, const N: usize> Task for Tile<P, R, N> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let Self { part, sums } = self;
        let Steps { x, x_stride, weight, stride, count } = part.steps;
        let sums = sums.cast::<[[S::V; N]; R]>();
        // SAFETY: by the contract of `PartialProduct::add`; the sums are vectors of `S`.
        unsafe {
            let mut acc = *sums;
            for step in 0..count {
                let weight = weight.add(2 * step * S::LANES);
                // The padded end of a row does not continue.
                let continues = part.columns > 0;
                if continues && S::REGISTERS >= 32 {
                    part.prefetch::<S, N>(weight, step);
                } else if continues && (R > 2 || size_of::<P::W>() < 4) {
                    // Reading memory takes all the time of fewer rows of `f32`, and the
                    // processor prefetches it faster by itself.
                    for n in 0..N {
                        S::prefetch(weight.add(n * stride).cast::<u8>().wrapping_add(STREAM_AHEAD));
                    }
                }
                P::step::<S, R, N>(&mut acc, x.add(step * x_stride), weight, stride);
            }
            *sums = acc;
        }
    }
}
