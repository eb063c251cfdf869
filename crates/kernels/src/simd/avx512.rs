//! AVX-512, with and without dot products of pairs of `bf16`.

use super::{Simd, Task};
use half::{bf16, f16};
use std::arch::x86_64::*;

/// With the instruction for dot products of pairs, or without.
#[derive(Clone, Copy)]
pub(crate) struct Avx512<const BF16: bool>;

/// Runs a task.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,fma,f16c")]
pub(super) fn enter<T: Task>(task: T) -> T::Output {
    // SAFETY: this function has the features.
    unsafe { task.run::<Avx512<false>>() }
}

/// Runs a task with dot products of pairs of `bf16`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bf16,avx2,fma,f16c")]
pub(super) fn enter_bf16<T: Task>(task: T) -> T::Output {
    // SAFETY: this function has the features.
    unsafe { task.run::<Avx512<true>>() }
}

impl<const BF16: bool> Simd for Avx512<BF16> {
    type V = __m512;
    const LANES: usize = 16;
    const REGISTERS: usize = 32;

    #[inline(always)]
    unsafe fn splat(value: f32) -> __m512 {
        // SAFETY: by the contract of this trait.
        unsafe { _mm512_set1_ps(value) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> __m512 {
        // SAFETY: by the contract of this trait.
        unsafe { _mm512_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn store(to: *mut f32, v: __m512) {
        // SAFETY: by the contract of this trait.
        unsafe { _mm512_storeu_ps(to, v) }
    }

    #[inline(always)]
    unsafe fn fma(a: __m512, b: __m512, c: __m512) -> __m512 {
        // SAFETY: by the contract of this trait.
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }

    #[inline(always)]
    unsafe fn sums([a, b, c, d]: [__m512; 4]) -> [f32; 4] {
        // SAFETY: by the contract of this trait; both types are 16 bytes.
        unsafe {
            let ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
            let cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
            let low = _mm512_shuffle_ps::<0b01_00_01_00>(ab, cd);
            let high = _mm512_shuffle_ps::<0b11_10_11_10>(ab, cd);
            let quarters = _mm512_add_ps(low, high);
            let upper = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(quarters)));
            let halves = _mm256_add_ps(_mm512_castps512_ps256(quarters), upper);
            let sums =
                _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps::<1>(halves));
            std::mem::transmute::<__m128, [f32; 4]>(sums)
        }
    }

    #[inline(always)]
    unsafe fn load_bf16(from: *const bf16) -> [__m512; 2] {
        // SAFETY: by the contract of this trait.
        unsafe {
            let pairs = _mm512_loadu_si512(from.cast());
            let even = _mm512_slli_epi32::<16>(pairs);
            let odd = _mm512_and_si512(pairs, _mm512_set1_epi32(0xffff_0000_u32 as i32));
            [_mm512_castsi512_ps(even), _mm512_castsi512_ps(odd)]
        }
    }

    #[inline(always)]
    unsafe fn load_f16(from: *const f16) -> [__m512; 2] {
        // SAFETY: by the contract of this trait.
        unsafe {
            [
                _mm512_cvtph_ps(_mm256_loadu_si256(from.cast())),
                _mm512_cvtph_ps(_mm256_loadu_si256(from.add(16).cast())),
            ]
        }
    }

    #[inline(always)]
    unsafe fn store_f16(to: *mut f16, numbers: __m512) {
        // SAFETY: by the contract of this trait.
        unsafe {
            let rounded = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(numbers);
            _mm256_storeu_si256(to.cast(), rounded);
        }
    }

    #[inline(always)]
    unsafe fn dot_bf16(acc: __m512, x: *const bf16, w: *const bf16) -> __m512 {
        // SAFETY: by the contract of this trait; without the instruction this is never reached. All
        // three vectors of 64 bytes have the same bits.
        unsafe {
            let load = |from: *const bf16| {
                std::mem::transmute::<__m512i, __m512bh>(_mm512_loadu_si512(from.cast()))
            };
            if BF16 {
                _mm512_dpbf16_ps(acc, load(x), load(w))
            } else {
                let [x, w] = [Self::load_bf16(x), Self::load_bf16(w)];
                Self::fma(x[1], w[1], Self::fma(x[0], w[0], acc))
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
