//! AVX2, alone and with dot products of bytes (`vpdpbusd`): AVX-VNNI, or AVX-512 VNNI with VL.

#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

use super::{Lanes, ROWS, Work};
use crate::block::format::{Format, UNIT};
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
    unsafe fn load_bytes(from: *const u8) -> __m256i {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    #[inline(always)]
    unsafe fn splat_i32(value: i32) -> __m256i {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_set1_epi32(value) }
    }

    #[inline(always)]
    unsafe fn sub_i32(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_sub_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn to_f32(v: __m256i) -> __m256 {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_cvtepi32_ps(v) }
    }

    #[inline(always)]
    unsafe fn invert_signs(v: __m256i) -> __m256i {
        // SAFETY: by the contract of this trait.
        unsafe { _mm256_xor_si256(v, _mm256_set1_epi8(i8::MIN)) }
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
    unsafe fn interleave_32(rows: [*const u8; ROWS]) -> [__m256i; UNIT / 4] {
        // SAFETY: by the contract of this trait.
        unsafe {
            let [low, high] = [quads(rows), quads(super::offset(rows, 16))];
            [low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]]
        }
    }

    #[inline(always)]
    unsafe fn interleave_halves(rows: [*const u8; ROWS]) -> [__m256i; UNIT / 4] {
        // SAFETY: by the contract of this trait.
        unsafe {
            let quads = quads(rows);
            let mask = _mm256_set1_epi8(15);
            let mut halves = [mask; UNIT / 4];
            for at in 0..4 {
                halves[at] = _mm256_and_si256(quads[at], mask);
                halves[at + 4] = _mm256_and_si256(_mm256_srli_epi16::<4>(quads[at]), mask);
            }
            halves
        }
    }

    #[inline(always)]
    unsafe fn halves(rows: [*const u8; ROWS]) -> __m256 {
        // SAFETY: by the contract of this trait.
        unsafe {
            let mut halves = [0_u16; ROWS];
            for row in 0..ROWS {
                halves[row] = rows[row].cast::<u16>().read_unaligned();
            }
            _mm256_cvtph_ps(_mm_loadu_si128(halves.as_ptr().cast()))
        }
    }

    #[inline(always)]
    unsafe fn pairs_of_halves(rows: [*const u8; ROWS]) -> [__m256; 2] {
        // SAFETY: by the contract of this trait.
        unsafe {
            let mut pairs = [0_u32; ROWS];
            for row in 0..ROWS {
                pairs[row] = rows[row].cast::<u32>().read_unaligned();
            }
            let pairs = _mm256_loadu_si256(pairs.as_ptr().cast());
            // The first ones of four rows in the low half of each 16 bytes, then the second ones.
            let order = _mm256_broadcastsi128_si256(_mm_setr_epi8(
                0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,
            ));
            let sorted =
                _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_shuffle_epi8(pairs, order));
            [
                _mm256_cvtph_ps(_mm256_castsi256_si128(sorted)),
                _mm256_cvtph_ps(_mm256_extracti128_si256::<1>(sorted)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn dots<F: Format, const R: usize>(
        bytes: &[__m256i; UNIT / 4],
        x: *const i8,
        stride: usize,
    ) -> [__m256i; R] {
        // SAFETY: by the contract of this trait.
        unsafe {
            let zero = _mm256_setzero_si256();
            let ones = _mm256_set1_epi16(1);
            let mut sums = [zero; R];
            let most = const { sums_in_16_bits::<F>() };
            let mut short = [zero; R];
            for at in 0..UNIT / 4 {
                let w = bytes[at];
                let size = _mm256_abs_epi8(w);
                for r in 0..R {
                    let x = x.add(r * stride + 4 * at).cast::<i32>().read_unaligned();
                    let x = _mm256_set1_epi32(x);
                    if DOTS != NONE {
                        sums[r] = dot::<DOTS>(sums[r], w, x);
                    } else if F::IS_SIGNED {
                        let pairs = _mm256_maddubs_epi16(size, _mm256_sign_epi8(x, w));
                        sums[r] = _mm256_add_epi32(sums[r], _mm256_madd_epi16(pairs, ones));
                    } else {
                        let pairs = _mm256_maddubs_epi16(w, x);
                        short[r] =
                            if at % most == 0 { pairs } else { _mm256_add_epi16(short[r], pairs) };
                        if at % most == most - 1 {
                            let pairs = _mm256_madd_epi16(short[r], ones);
                            sums[r] =
                                if at < most { pairs } else { _mm256_add_epi32(sums[r], pairs) };
                        }
                    }
                }
            }
            sums
        }
    }

    #[inline(always)]
    unsafe fn prefetch(address: *const u8) {
        // SAFETY: a hint, which never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }
}

/// The number of sums of two products with unsigned bytes that are added in 16 bits: 1, 2, 4 or 8.
const fn sums_in_16_bits<F: Format>() -> usize {
    let mut most = UNIT / 4;
    while most > 1 && most * 2 * 127 * F::MAX > i16::MAX as usize {
        most /= 2;
    }
    assert!(F::IS_SIGNED || most * 2 * 127 * F::MAX <= i16::MAX as usize, "BUG: sums overflow");
    most
}

/// Adds the sums of four products of unsigned and signed bytes.
///
/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn dot<const DOTS: u8>(sum: __m256i, unsigned: __m256i, signed: __m256i) -> __m256i {
    // SAFETY: by the contract of this function.
    unsafe {
        match DOTS {
            AVX_VNNI => _mm256_dpbusd_avx_epi32(sum, unsigned, signed),
            _ => _mm256_dpbusd_epi32(sum, unsigned, signed),
        }
    }
}

/// 16 bytes of each row, interleaved four by four.
///
/// # Safety
/// As for [`Lanes`].
#[inline(always)]
unsafe fn quads(rows: [*const u8; ROWS]) -> [__m256i; 4] {
    // SAFETY: by the contract of this function.
    unsafe {
        let mut pairs = [_mm256_setzero_si256(); 4];
        for at in 0..4 {
            // Rows `at` and `at + 4`.
            let low = _mm256_castsi128_si256(_mm_loadu_si128(rows[at].cast()));
            let high = _mm_loadu_si128(rows[at + 4].cast());
            pairs[at] = _mm256_inserti128_si256::<1>(low, high);
        }
        let [a, b, c, d] = pairs;
        let (ab, cd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
        let (ab_high, cd_high) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
        [
            _mm256_unpacklo_epi64(ab, cd),
            _mm256_unpackhi_epi64(ab, cd),
            _mm256_unpacklo_epi64(ab_high, cd_high),
            _mm256_unpackhi_epi64(ab_high, cd_high),
        ]
    }
}
