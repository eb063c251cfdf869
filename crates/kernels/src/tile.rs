//! The innermost loop: rows of one matrix times rows of another.
//!
//! The loops over the rows of a tile use indices, since an iterator's closure would be compiled
//! without the kernel's instructions.

#![allow(clippy::needless_range_loop, reason = "see above")]

use crate::{
    Element, Isa,
    simd::{BASIC, Simd, Task},
};
use half::{bf16, f16};
use std::marker::PhantomData;

/// Stored elements, read two vectors at a time.
pub(crate) trait Stored: Sized {
    /// Whether [`load`](Self::load) returns the elements at even indices first. Dot products allow
    /// any order that both sides share.
    const SPLIT: bool = false;

    /// Whether pairs of these elements have instructions for their products.
    const IS_BF16: bool = false;

    /// `2 * LANES` elements.
    ///
    /// # Safety
    /// As for [`Simd`].
    unsafe fn load<S: Simd>(from: *const Self) -> [S::V; 2];

    /// Writes `LANES` numbers in order, each as the nearest element.
    ///
    /// # Safety
    /// As for [`Simd`].
    unsafe fn store<S: Simd>(to: *mut Self, numbers: S::V);
}

impl Stored for f32 {
    #[inline(always)]
    unsafe fn load<S: Simd>(from: *const f32) -> [S::V; 2] {
        // SAFETY: by the contract of this trait.
        unsafe { [S::load(from), S::load(from.add(S::LANES))] }
    }

    #[inline(always)]
    unsafe fn store<S: Simd>(to: *mut f32, numbers: S::V) {
        // SAFETY: by the contract of this trait.
        unsafe { S::store(to, numbers) }
    }
}

impl Stored for bf16 {
    const SPLIT: bool = true;
    const IS_BF16: bool = true;

    #[inline(always)]
    unsafe fn load<S: Simd>(from: *const bf16) -> [S::V; 2] {
        // SAFETY: by the contract of this trait.
        unsafe { S::load_bf16(from) }
    }

    #[inline(always)]
    unsafe fn store<S: Simd>(to: *mut bf16, numbers: S::V) {
        // SAFETY: by the contract of this trait.
        unsafe { narrowed::<S, bf16>(to, numbers) }
    }
}

impl Stored for f16 {
    #[inline(always)]
    unsafe fn load<S: Simd>(from: *const f16) -> [S::V; 2] {
        // SAFETY: by the contract of this trait.
        unsafe { S::load_f16(from) }
    }

    #[inline(always)]
    unsafe fn store<S: Simd>(to: *mut f16, numbers: S::V) {
        // SAFETY: by the contract of this trait.
        unsafe { S::store_f16(to, numbers) }
    }
}

/// Writes the numbers of a vector, one by one as it is written here.
///
/// # Safety
/// `to` has memory for as many elements; see also [`Simd`].
#[inline(always)]
pub(crate) unsafe fn narrowed<S: Simd, T: Element>(to: *mut T, numbers: S::V) {
    let mut values = [0.0_f32; MAX_STEP / 2];
    // SAFETY: by the contract of this function.
    unsafe {
        S::store(values.as_mut_ptr(), numbers);
        for lane in 0..S::LANES {
            to.add(lane).write(T::from_f32(values[lane]));
        }
    }
}

/// The accumulation of products.
pub(crate) trait Product {
    /// An element of the packed side.
    type X: Element;
    /// An element of the other side.
    type W: Element;
    /// The instruction sets with it: see [`Task::ISAS`].
    const ISAS: &'static [Isa];

    /// Adds the products of `2 * LANES` elements of `R` packed rows and `N` others, `stride`
    /// elements apart.
    ///
    /// # Safety
    /// As for [`Simd`].
    unsafe fn step<S: Simd, const R: usize, const N: usize>(
        acc: &mut [[S::V; N]; R],
        x: *const Self::X,
        w: *const Self::W,
        stride: usize,
    );

    /// As [`step`](Self::step), for other rows in their stored form, which it also packs.
    ///
    /// # Safety
    /// As for [`Simd`]; `packed` has memory for as many elements.
    unsafe fn step_and_pack<S: Simd, const R: usize, const N: usize, T: Element>(
        acc: &mut [[S::V; N]; R],
        x: *const Self::X,
        w: *const T,
        stride: usize,
        packed: *mut Self::X,
    );
}

/// Whether the sums of a tile and both halves of `N` vectors take more than all registers. Such a
/// tile has to be a function of its own, or the compiler stores the sums in each step.
pub(crate) const fn fills_registers<S: Simd>(rows: usize, n: usize) -> bool {
    S::REGISTERS < 32 && rows * n + 2 * n + 2 > S::REGISTERS
}

/// Both sides as `f32`.
pub(crate) struct Wide<W>(PhantomData<W>);

impl<W: Element> Product for Wide<W> {
    type X = f32;
    type W = W;
    const ISAS: &'static [Isa] = BASIC;

    #[inline(always)]
    unsafe fn step<S: Simd, const R: usize, const N: usize>(
        acc: &mut [[S::V; N]; R],
        x: *const f32,
        w: *const W,
        stride: usize,
    ) {
        // SAFETY: by the contract of this trait.
        unsafe {
            let mut weights = [[S::splat(0.0); 2]; N];
            // Split elements are loaded as both halves, others half by half, which takes fewer
            // registers; so are all where there are too few.
            let in_halves = !W::SPLIT || fills_registers::<S>(R, N);
            for half in 0..2 {
                for n in 0..N {
                    if in_halves || half == 0 {
                        weights[n] = W::load::<S>(w.add(n * stride));
                    }
                }
                for r in 0..R {
                    let x = S::load(x.add((2 * r + half) * S::LANES));
                    for n in 0..N {
                        acc[r][n] = S::fma(x, weights[n][half], acc[r][n]);
                    }
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn step_and_pack<S: Simd, const R: usize, const N: usize, T: Element>(
        acc: &mut [[S::V; N]; R],
        x: *const f32,
        w: *const T,
        stride: usize,
        packed: *mut f32,
    ) {
        // SAFETY: by the contract of this trait.
        unsafe {
            Wide::<T>::step::<S, R, N>(acc, x, w, stride);
            for n in 0..N {
                let [a, b] = T::load::<S>(w.add(n * stride));
                S::store(packed.add(2 * n * S::LANES), a);
                S::store(packed.add((2 * n + 1) * S::LANES), b);
            }
        }
    }
}

/// Both sides as `bf16`, with an instruction for pairs.
pub(crate) struct Pairs;

/// Whether both sides may be multiplied as pairs of `bf16`, or as tiles of them.
pub(crate) const fn are_bf16<X: Element, W: Element>() -> bool {
    X::IS_BF16 && W::IS_BF16
}

impl Product for Pairs {
    type X = bf16;
    type W = bf16;
    const ISAS: &'static [Isa] = &[Isa::Avx512Bf16];

    #[inline(always)]
    unsafe fn step<S: Simd, const R: usize, const N: usize>(
        acc: &mut [[S::V; N]; R],
        x: *const bf16,
        w: *const bf16,
        stride: usize,
    ) {
        // SAFETY: by the contract of this trait.
        unsafe {
            for r in 0..R {
                for n in 0..N {
                    acc[r][n] = S::dot_bf16(acc[r][n], x.add(2 * r * S::LANES), w.add(n * stride));
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn step_and_pack<S: Simd, const R: usize, const N: usize, T: Element>(
        acc: &mut [[S::V; N]; R],
        x: *const bf16,
        w: *const T,
        stride: usize,
        packed: *mut bf16,
    ) {
        let width = 2 * S::LANES;
        // SAFETY: by the contract of this trait; pairs are of `bf16` on both sides.
        unsafe {
            for n in 0..N {
                std::ptr::copy_nonoverlapping(
                    w.add(n * stride).cast(),
                    packed.add(n * width),
                    width,
                );
            }
            Self::step::<S, R, N>(acc, x, packed, width);
        }
    }
}

/// The maximum number of elements of a step.
pub(crate) const MAX_STEP: usize = 32;

/// The maximum number of sums of a tile.
pub(crate) const MAX_SUMS: usize = 32;

/// The sums of a tile, as a contiguous `[R, N]`.
///
/// # Safety
/// As for [`Simd`].
#[inline(always)]
pub(crate) unsafe fn sums<S: Simd, const R: usize, const N: usize>(
    acc: &[[S::V; N]; R],
    out: &mut [f32; MAX_SUMS],
) {
    const { assert!(R * N <= MAX_SUMS) };
    for first in (0..R * N).step_by(4) {
        // SAFETY: by the contract of this function.
        unsafe {
            let mut four = [S::splat(0.0); 4];
            for (i, v) in four.iter_mut().enumerate() {
                if first + i < R * N {
                    *v = acc[(first + i) / N][(first + i) % N];
                }
            }
            out[first..first + 4].copy_from_slice(&S::sums(four));
        }
    }
}

/// Packs rows for a tile: for each `2 * LANES` columns, those of all rows of a tile are adjacent.
pub(crate) struct Pack<'a, T, P> {
    /// The rows, `stride` elements apart.
    pub from: &'a [T],
    pub stride: usize,
    pub rows: usize,
    /// The number of existing rows; the others are filled with 0.
    pub present: usize,
    pub columns: usize,
    /// Memory for `rows` times the columns rounded up; missing elements are filled with 0.
    pub to: *mut P,
    /// Whether elements at even indices come first.
    pub split: bool,
}

impl<T: Element, P: Element> Task for Pack<'_, T, P> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let width = 2 * S::LANES;
        let direct = P::NAME == f32::NAME && T::SPLIT == self.split;
        for (step, start) in (0..self.columns).step_by(width).enumerate() {
            let count = width.min(self.columns - start);
            for row in 0..self.rows {
                let from = if row < self.present {
                    &self.from[row * self.stride + start..][..count]
                } else {
                    &[]
                };
                let count = from.len();
                // SAFETY: there is memory for this many steps, by the caller's contract.
                unsafe {
                    let to = self.to.add((step * self.rows + row) * width);
                    if direct && count == width {
                        let [a, b] = T::load::<S>(from.as_ptr());
                        S::store(to.cast(), a);
                        S::store(to.cast::<f32>().add(S::LANES), b);
                        continue;
                    }
                    if P::NAME == T::NAME && !self.split && count == width {
                        // The same type, by name.
                        std::ptr::copy_nonoverlapping(from.as_ptr().cast::<P>(), to, width);
                        continue;
                    }
                    for i in 0..width {
                        let place = if self.split { i / 2 + i % 2 * S::LANES } else { i };
                        let value = if i < count { P::from_f32(from[i].to_f32()) } else { P::ZERO };
                        to.add(place).write(value);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd;

    /// Stores numbers, whole vectors of them.
    struct Store<'a, T> {
        numbers: &'a [f32],
        to: &'a mut [T],
    }

    impl<T: Element> Task for Store<'_, T> {
        type Output = ();

        #[inline(always)]
        unsafe fn run<S: Simd>(self) {
            assert_eq!(self.numbers.len() % S::LANES, 0);
            for at in (0..self.numbers.len()).step_by(S::LANES) {
                let from = &self.numbers[at..][..S::LANES];
                let to = &mut self.to[at..][..S::LANES];
                // SAFETY: both have the elements of a vector.
                unsafe { T::store::<S>(to.as_mut_ptr(), S::load(from.as_ptr())) };
            }
        }
    }

    fn vectors_are_stored<T: Element>() {
        // All signs, exponents and leading digits, with what decides how they are rounded: for
        // `f16` 13 bits of a number are dropped, for `bf16` 16.
        let step = if cfg!(miri) { 997 } else { 1 };
        let highs = (0..=u16::MAX).step_by(step).map(|high| u32::from(high) << 16);
        let lows = [0, 1, 0xfff, 0x1000, 0x1001, 0x3000, 0x7fff, 0x8000, 0x8001, 0xffff];
        let numbers: Vec<f32> =
            highs.flat_map(|high| lows.map(|low| f32::from_bits(high | low))).collect();
        let numbers = &numbers[..numbers.len() / 16 * 16];
        for isa in Isa::available() {
            let mut found = vec![T::ZERO; numbers.len()];
            simd::run(isa, Store { numbers, to: &mut found });
            for (&number, found) in numbers.iter().zip(found) {
                let expected = T::from_f32(number);
                let both_nan = expected.to_f32().is_nan() && found.to_f32().is_nan();
                let [bits, wanted] = [found, expected].map(|value| value.to_f32().to_bits());
                assert!(both_nan || bits == wanted, "{isa} {}: {number:e}: {found:?}", T::NAME);
            }
        }
    }

    #[test]
    fn stored_vectors_are_rounded_as_single_numbers() {
        vectors_are_stored::<f32>();
        vectors_are_stored::<bf16>();
        vectors_are_stored::<f16>();
    }
}
