//! AVX2, alone and with dot products of bytes (`vpdpbusd`): AVX-VNNI, or AVX-512 VNNI with VL.

#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

mod dots;
mod load;

use super::{Lanes, ROWS, Work};
use crate::block::format::Format;
use std::arch::x86_64::*;

/// The instructions for dot products of bytes.
pub(in crate::block) const NONE: u8 = 0;
const AVX_VNNI: u8 = 1;
const AVX512_VNNI: u8 = 2;

/// Vectors of AVX2, with dot products of the given kind.
#[derive(Clone, Copy)]
pub(in crate::block) struct Avx2<const DOTS: u8>;

/// Does work.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn enter<W: Work>(work: W) {
    // SAFETY: this function has the features.
    unsafe { work.run::<Avx2<NONE>>() }
}

/// Does work with AVX-VNNI.
#[target_feature(enable = "avx2,fma,f16c,avxvnni")]
pub(super) fn enter_avx_vnni<W: Work>(work: W) {
    // SAFETY: this function has the features.
    unsafe { work.run::<Avx2<AVX_VNNI>>() }
}

/// Does work with AVX-512 VNNI.
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn enter_avx512_vnni<W: Work>(work: W) {
    // SAFETY: this function has the features.
    unsafe { work.run::<Avx2<AVX512_VNNI>>() }
}

impl<const DOTS: u8> Lanes for Avx2<DOTS> {
    type I = __m256i;
    type F = __m256;
    const INVERTS_SIGNS: bool = DOTS != NONE;

    #[inline(always)]
    unsafe fn zero() -> __m256i {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    unsafe fn splat_i32(value: i32) -> __m256i {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_set1_epi32(value) }
    }

    #[inline(always)]
    unsafe fn sub_shifted(a: __m256i, b: __m256i, bits: u32) -> __m256i {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_sub_epi32(a, _mm256_sll_epi32(b, count(bits))) }
    }

    #[inline(always)]
    unsafe fn to_f32(v: __m256i) -> __m256 {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_cvtepi32_ps(v) }
    }

    #[inline(always)]
    unsafe fn bits(v: __m256i, shift: u32, mask: u8) -> __m256i {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_and_si256(_mm256_srl_epi16(v, count(shift)), _mm256_set1_epi8(mask as i8)) }
    }

    #[inline(always)]
    unsafe fn or_shifted<const BITS: i32>(low: __m256i, high: __m256i) -> __m256i {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_or_si256(low, _mm256_slli_epi16::<BITS>(high)) }
    }

    #[inline(always)]
    unsafe fn lookup(table: &[i8; 16], v: __m256i) -> __m256i {
        // SAFETY: by the contract of this trait.
        unsafe {
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
            _mm256_shuffle_epi8(table, v)
        }
    }

    #[inline(always)]
    unsafe fn invert_signs(v: __m256i) -> __m256i {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_xor_si256(v, _mm256_set1_epi8(i8::MIN)) }
    }

    #[inline(always)]
    unsafe fn byte(v: __m256i, byte: u32) -> __m256i {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_and_si256(_mm256_srl_epi32(v, count(8 * byte)), _mm256_set1_epi32(255)) }
    }

    #[inline(always)]
    unsafe fn factor(v: __m256i, byte: u32) -> __m256i {
        // SAFETY: by the contract of this trait.
        unsafe {
            let high = _mm256_sll_epi32(v, count(24 - 8 * byte));
            let twice = _mm256_broadcastsi128_si256(_mm_setr_epi8(
                2, 3, 2, 3, 6, 7, 6, 7, 10, 11, 10, 11, 14, 15, 14, 15,
            ));
            _mm256_srai_epi16::<8>(_mm256_shuffle_epi8(high, twice))
        }
    }

    #[inline(always)]
    unsafe fn factor_to_f32(factor: __m256i) -> __m256 {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_cvtepi32_ps(_mm256_srai_epi32::<16>(factor)) }
    }

    #[inline(always)]
    unsafe fn factored(factors: [__m256i; 2], pair: i32) -> __m256i {
        // SAFETY: by the contract of this trait.
        unsafe {
            let factors = _mm256_blend_epi16::<0b1010_1010>(factors[0], factors[1]);
            _mm256_madd_epi16(factors, _mm256_set1_epi32(pair))
        }
    }

    #[inline(always)]
    unsafe fn column<F: Format, const BYTE: usize>(v: __m256i) -> __m256 {
        // SAFETY: by the contract of this trait.
        unsafe {
            if F::IS_SIGNED {
                let high = match BYTE {
                    0 => _mm256_slli_epi32::<24>(v),
                    1 => _mm256_slli_epi32::<16>(v),
                    2 => _mm256_slli_epi32::<8>(v),
                    _ => v,
                };
                return _mm256_cvtepi32_ps(_mm256_srai_epi32::<24>(high));
            }
            let low = match BYTE {
                0 => v,
                1 => _mm256_srli_epi32::<8>(v),
                2 => _mm256_srli_epi32::<16>(v),
                _ => _mm256_srli_epi32::<24>(v),
            };
            let byte = match BYTE {
                3 => low,
                _ => _mm256_and_si256(low, _mm256_set1_epi32(255)),
            };
            match F::OFFSET_BITS {
                Some(bits) => {
                    _mm256_cvtepi32_ps(_mm256_sub_epi32(byte, _mm256_set1_epi32(1 << bits)))
                }
                None => _mm256_cvtepi32_ps(byte),
            }
        }
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
    unsafe fn mul(a: __m256, b: __m256) -> __m256 {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_mul_ps(a, b) }
    }

    #[inline(always)]
    unsafe fn add(a: __m256, b: __m256) -> __m256 {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_add_ps(a, b) }
    }

    #[inline(always)]
    unsafe fn fma(a: __m256, b: __m256, c: __m256) -> __m256 {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_fmadd_ps(a, b, c) }
    }

    #[inline(always)]
    unsafe fn load_16<const BY_ROWS: bool>(rows: [*const u8; ROWS]) -> [__m256i; 4] {
        // SAFETY: by the contract of this trait.
        unsafe {
            let by_rows = load::by_rows(rows);
            if BY_ROWS { by_rows } else { load::by_quads(by_rows) }
        }
    }

    #[inline(always)]
    unsafe fn load_bits<const BY_ROWS: bool>(rows: [*const u8; ROWS]) -> [[__m256i; 4]; 2] {
        // SAFETY: by the contract of this trait.
        unsafe {
            let [first, last] = load::bits_by_rows(rows);
            if BY_ROWS { [first, last] } else { [load::by_quads(first), load::by_quads(last)] }
        }
    }

    #[inline(always)]
    unsafe fn halves(rows: [*const u8; ROWS]) -> __m256 {
        // SAFETY: by the contract of this trait.
        unsafe { load::halves(rows) }
    }

    #[inline(always)]
    unsafe fn half_exponents(rows: [*const u8; ROWS]) -> __m256 {
        // SAFETY: by the contract of this trait.
        unsafe { load::half_exponents(rows) }
    }

    #[inline(always)]
    unsafe fn pairs_of_halves(rows: [*const u8; ROWS]) -> [__m256; 2] {
        // SAFETY: by the contract of this trait.
        unsafe { load::pairs_of_halves(rows) }
    }

    #[inline(always)]
    unsafe fn dots<F: Format, const R: usize, const BY_ROWS: bool>(
        bytes: &[[__m256i; 4]; 2],
        factors: [__m256i; 2],
        x: *const i8,
        stride: usize,
    ) -> [__m256i; R] {
        // SAFETY: by the contract of this trait.
        unsafe {
            if BY_ROWS {
                dots::of_rows::<DOTS, F, R>(bytes, factors, x, stride)
            } else {
                dots::of_lanes::<DOTS, F, R>(bytes, factors, x, stride)
            }
        }
    }

    #[inline(always)]
    unsafe fn prefetch(address: *const u8) {
        // SAFETY: a hint, which never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }
}

/// A number of bits to shift by.
#[inline(always)]
unsafe fn count(bits: u32) -> __m128i {
    // SAFETY: by the contract of the callers.
    unsafe { _mm_cvtsi32_si128(bits as i32) }
}
