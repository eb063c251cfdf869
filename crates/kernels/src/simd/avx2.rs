//! AVX2 with FMA and F16C.

use super::{Simd, Steps, Task, avx2_tile};
use crate::Element;
use half::{bf16, f16};
use std::{arch::x86_64::*, hint::black_box};

#[derive(Clone, Copy)]
pub(crate) struct Avx2;

/// Runs a task.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn enter<T: Task>(task: T) -> T::Output {
    // SAFETY: this function has the features.
    unsafe { task.run::<Avx2>() }
}

impl Simd for Avx2 {
    type V = __m256;
    const LANES: usize = 8;
    const REGISTERS: usize = 16;
    const CALLS: bool = true;

    #[inline(always)]
    unsafe fn call<T: Task>(task: T) -> T::Output {
        // `inline(never)` has no effect with `target_feature`.
        let enter = black_box(enter::<T> as unsafe fn(T) -> T::Output);
        // SAFETY: by the contract of this trait.
        unsafe { enter(task) }
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> __m256 {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_set1_ps(value) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> __m256 {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn store(to: *mut f32, v: __m256) {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_storeu_ps(to, v) }
    }

    #[inline(always)]
    unsafe fn fma(a: __m256, b: __m256, c: __m256) -> __m256 {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_fmadd_ps(a, b, c) }
    }

    #[inline(always)]
    unsafe fn sums([a, b, c, d]: [__m256; 4]) -> [f32; 4] {
        // SAFETY: by the contract of this trait; both types are 16 bytes.
        unsafe {
            let ab = _mm256_hadd_ps(a, b);
            let cd = _mm256_hadd_ps(c, d);
            let abcd = _mm256_hadd_ps(ab, cd);
            let sums = _mm_add_ps(_mm256_castps256_ps128(abcd), _mm256_extractf128_ps::<1>(abcd));
            std::mem::transmute::<__m128, [f32; 4]>(sums)
        }
    }

    #[inline(always)]
    unsafe fn load_bf16(from: *const bf16) -> [__m256; 2] {
        // SAFETY: by the contract of this trait.
        unsafe {
            let pairs = _mm256_loadu_si256(from.cast());
            let even = _mm256_slli_epi32::<16>(pairs);
            let odd = _mm256_and_si256(pairs, _mm256_set1_epi32(0xffff_0000_u32 as i32));
            [_mm256_castsi256_ps(even), _mm256_castsi256_ps(odd)]
        }
    }

    #[inline(always)]
    unsafe fn load_f16(from: *const f16) -> [__m256; 2] {
        // SAFETY: by the contract of this trait.
        unsafe {
            [
                _mm256_cvtph_ps(_mm_loadu_si128(from.cast())),
                _mm256_cvtph_ps(_mm_loadu_si128(from.add(8).cast())),
            ]
        }
    }

    #[inline(always)]
    unsafe fn store_f16(to: *mut f16, numbers: __m256) {
        // SAFETY: by the contract of this trait.
        unsafe {
            let rounded = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(numbers);
            _mm_storeu_si128(to.cast(), rounded);
        }
    }

    #[inline(always)]
    unsafe fn add<X: Element, W: Element, const R: usize, const N: usize>(
        steps: Steps<X, W>,
        sums: *mut f32,
    ) -> bool {
        // SAFETY: by the contract of this trait.
        unsafe { (X::NAME, R, N) == ("f32", 4, 3) && avx2_tile::add(steps, sums) }
    }

    #[inline(always)]
    unsafe fn transpose(from: *const f32, stride: usize, to: *mut f32) {
        // SAFETY: by the contract of this trait.
        unsafe {
            let mut pairs = [_mm256_setzero_ps(); 8];
            for at in 0..4 {
                let a = _mm256_loadu_ps(from.add(2 * at * stride));
                let b = _mm256_loadu_ps(from.add((2 * at + 1) * stride));
                pairs[2 * at] = _mm256_unpacklo_ps(a, b);
                pairs[2 * at + 1] = _mm256_unpackhi_ps(a, b);
            }
            // Four rows of columns 0 to 3 in the lower halves, of 4 to 7 in the upper ones.
            let mut fours = [_mm256_setzero_ps(); 8];
            for at in 0..4 {
                let first = 4 * (at / 2) + at % 2;
                let [low, high] = [pairs[first], pairs[first + 2]];
                fours[2 * at] = _mm256_shuffle_ps::<0b01_00_01_00>(low, high);
                fours[2 * at + 1] = _mm256_shuffle_ps::<0b11_10_11_10>(low, high);
            }
            for column in 0..4 {
                let [low, high] = [fours[column], fours[column + 4]];
                _mm256_storeu_ps(to.add(8 * column), _mm256_permute2f128_ps::<0x20>(low, high));
                let later = to.add(8 * (column + 4));
                _mm256_storeu_ps(later, _mm256_permute2f128_ps::<0x31>(low, high));
            }
        }
    }

    #[inline(always)]
    unsafe fn prefetch(address: *const u8) {
        // SAFETY: a hint, which never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }

    #[inline(always)]
    unsafe fn prefetch_far(address: *const u8) {
        // SAFETY: as above.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) }
    }
}
