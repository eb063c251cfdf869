//! Sums of products of bytes.

use super::{AVX_VNNI, NONE};
use crate::block::format::Format;
use std::arch::x86_64::*;

/// [`Lanes::dots`](super::Lanes::dots) of bytes whose lanes are rows.
///
/// # Safety
/// As for [`Lanes::dots`](super::Lanes::dots).
#[inline(always)]
pub(super) unsafe fn of_lanes<const DOTS: u8, F: Format, const R: usize>(
    bytes: &[[__m256i; 4]; 2],
    factors: [__m256i; 2],
    x: *const i8,
    stride: usize,
) -> [__m256i; R] {
    // SAFETY: by the contract of this function.
    unsafe {
        let mut sums = [_mm256_setzero_si256(); R];
        let mut short = sums;
        let most = const { sums_in_16_bits::<F>() };
        for at in 0..8 {
            let half = at / 4;
            let w = bytes[half][at % 4];
            let times = if F::HAS_FACTORS { factors[half] } else { _mm256_set1_epi16(1) };
            for r in 0..R {
                let x = x.add(r * stride + 4 * at).cast::<i32>().read_unaligned();
                let x = _mm256_set1_epi32(x);
                if DOTS == NONE {
                    let pairs = products::<F>(w, x);
                    short[r] =
                        if at % most == 0 { pairs } else { _mm256_add_epi16(short[r], pairs) };
                    if at % most == most - 1 {
                        let pairs = _mm256_madd_epi16(short[r], times);
                        sums[r] = if at < most { pairs } else { _mm256_add_epi32(sums[r], pairs) };
                    }
                } else if F::HAS_FACTORS {
                    let sum = if at % 4 == 0 { _mm256_setzero_si256() } else { short[r] };
                    short[r] = dot::<DOTS>(sum, w, x);
                    if at % 4 == 3 {
                        sums[r] = _mm256_add_epi32(sums[r], times_factor(short[r], times));
                    }
                } else {
                    sums[r] = dot::<DOTS>(sums[r], w, x);
                }
            }
        }
        sums
    }
}

/// [`Lanes::dots`](super::Lanes::dots) of bytes as [`by_rows`](super::load::by_rows) arranges them.
///
/// # Safety
/// As for [`Lanes::dots`](super::Lanes::dots).
#[inline(always)]
pub(super) unsafe fn of_rows<const DOTS: u8, F: Format, const R: usize>(
    bytes: &[[__m256i; 4]; 2],
    factors: [__m256i; 2],
    x: *const i8,
    stride: usize,
) -> [__m256i; R] {
    // SAFETY: by the contract of this function.
    unsafe {
        let zero = _mm256_setzero_si256();
        let mut dots = [zero; R];
        for r in 0..R {
            let x = x.add(r * stride).cast::<__m128i>();
            let first = _mm256_broadcastsi128_si256(_mm_loadu_si128(x));
            let last = _mm256_broadcastsi128_si256(_mm_loadu_si128(x.add(1)));
            // The first 16 bytes' sums of all rows, and the last ones'; or all of them.
            let mut halves = [[zero; 4]; 2];
            for at in 0..4 {
                let [a, b] = [bytes[0][at], bytes[1][at]];
                if DOTS != NONE {
                    halves[0][at] = dot::<DOTS>(zero, a, first);
                    let sum = if F::HAS_FACTORS { zero } else { halves[0][at] };
                    halves[1][at] = dot::<DOTS>(sum, b, last);
                } else {
                    halves[0][at] = products::<F>(a, first);
                    halves[1][at] = products::<F>(b, last);
                }
            }
            let more = if DOTS == NONE { const { sums_in_16_bits::<F>() } } else { 0 };
            dots[r] = if F::HAS_FACTORS {
                let [a, b] = [fold(halves[0], more), fold(halves[1], more)];
                _mm256_add_epi32(times_factor(a, factors[0]), times_factor(b, factors[1]))
            } else if DOTS != NONE {
                fold(halves[1], more)
            } else {
                for at in 0..4 {
                    halves[0][at] = add(more, halves[0][at], halves[1][at]);
                }
                fold(halves[0], more / 2)
            };
        }
        dots
    }
}

/// The sums of each 16 bytes in `i32`, of vectors of two rows each as [`by_rows`](super::load::by_rows)
/// arranges them, in the order of the rows. Numbers are sums in 16 bits of which `most` may be
/// added, or in `i32` if it is 0.
#[inline(always)]
unsafe fn fold(vectors: [__m256i; 4], most: usize) -> __m256i {
    // SAFETY: by the contract of the callers.
    unsafe {
        let [a, b, c, d] = vectors;
        let ab = fold_32(most, a, b);
        let cd = fold_32(most, c, d);
        let most = most / 2;
        let (low, high) = (_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd));
        let sums = add(most, low, high);
        if most > 1 { widen(sums) } else { sums }
    }
}

#[inline(always)]
unsafe fn fold_32(most: usize, a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: by the contract of the callers.
    unsafe { add(most, _mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)) }
}

/// Adds sums in 16 bits of which `most` may be added, or in `i32` if it is 0. If it is 1, the
/// result is in `i32`.
#[inline(always)]
unsafe fn add(most: usize, a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: by the contract of the callers.
    unsafe {
        match most {
            0 => _mm256_add_epi32(a, b),
            1 => _mm256_add_epi32(widen(a), widen(b)),
            _ => _mm256_add_epi16(a, b),
        }
    }
}

/// Adds adjacent numbers of 16 bits.
#[inline(always)]
unsafe fn widen(v: __m256i) -> __m256i {
    // SAFETY: by the contract of the callers.
    unsafe { _mm256_madd_epi16(v, _mm256_set1_epi16(1)) }
}

#[inline(always)]
unsafe fn times_factor(sums: __m256i, factor: __m256i) -> __m256i {
    // SAFETY: by the contract of the callers.
    unsafe { _mm256_mullo_epi32(sums, _mm256_srai_epi32::<16>(factor)) }
}

/// The sums of two products of a kind's bytes with signed ones, none of which is -128, in 16 bits.
#[inline(always)]
unsafe fn products<F: Format>(w: __m256i, x: __m256i) -> __m256i {
    // SAFETY: by the contract of the callers.
    unsafe {
        if F::IS_SIGNED {
            _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w))
        } else {
            _mm256_maddubs_epi16(w, x)
        }
    }
}

/// The number of sums of two products that are added in 16 bits: 1, 2, 4 or 8. Halves of units are
/// apart if they have factors.
const fn sums_in_16_bits<F: Format>() -> usize {
    let mut most = if F::HAS_FACTORS { 4 } else { 8 };
    while most > 1 && most * 2 * 127 * F::MAX > i16::MAX as usize {
        most /= 2;
    }
    assert!(most * 2 * 127 * F::MAX <= i16::MAX as usize, "BUG: sums overflow");
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
