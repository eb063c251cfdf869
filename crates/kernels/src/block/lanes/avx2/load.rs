//! Loads from eight rows.

use super::ROWS;
use std::arch::x86_64::*;

/// [`Lanes::halves`](super::Lanes::halves).
///
/// # Safety
/// As for [`Lanes`](super::Lanes).
#[inline(always)]
pub(super) unsafe fn halves(rows: [*const u8; ROWS]) -> __m256 {
    // SAFETY: by the contract of this function.
    unsafe {
        // Through memory, the load of all of them would wait for their stores.
        let mut halves = _mm_setzero_si128();
        halves = _mm_insert_epi16::<0>(halves, i32::from(half(rows[0])));
        halves = _mm_insert_epi16::<1>(halves, i32::from(half(rows[1])));
        halves = _mm_insert_epi16::<2>(halves, i32::from(half(rows[2])));
        halves = _mm_insert_epi16::<3>(halves, i32::from(half(rows[3])));
        halves = _mm_insert_epi16::<4>(halves, i32::from(half(rows[4])));
        halves = _mm_insert_epi16::<5>(halves, i32::from(half(rows[5])));
        halves = _mm_insert_epi16::<6>(halves, i32::from(half(rows[6])));
        halves = _mm_insert_epi16::<7>(halves, i32::from(half(rows[7])));
        _mm256_cvtph_ps(halves)
    }
}

/// [`Lanes::half_exponents`](super::Lanes::half_exponents).
///
/// # Safety
/// As for [`Lanes`](super::Lanes).
#[inline(always)]
pub(super) unsafe fn half_exponents(rows: [*const u8; ROWS]) -> __m256 {
    // SAFETY: by the contract of this function.
    unsafe {
        let mut bytes = _mm_setzero_si128();
        bytes = _mm_insert_epi8::<0>(bytes, i32::from(rows[0].read()));
        bytes = _mm_insert_epi8::<1>(bytes, i32::from(rows[1].read()));
        bytes = _mm_insert_epi8::<2>(bytes, i32::from(rows[2].read()));
        bytes = _mm_insert_epi8::<3>(bytes, i32::from(rows[3].read()));
        bytes = _mm_insert_epi8::<4>(bytes, i32::from(rows[4].read()));
        bytes = _mm_insert_epi8::<5>(bytes, i32::from(rows[5].read()));
        bytes = _mm_insert_epi8::<6>(bytes, i32::from(rows[6].read()));
        bytes = _mm_insert_epi8::<7>(bytes, i32::from(rows[7].read()));
        let exponents = _mm256_cvtepu8_epi32(bytes);
        let halves = _mm256_slli_epi32::<23>(_mm256_sub_epi32(exponents, _mm256_set1_epi32(1)));
        // The halves of the two smallest powers are subnormal.
        let subnormal = _mm256_sllv_epi32(_mm256_set1_epi32(0x0020_0000), exponents);
        let is_subnormal = _mm256_cmpgt_epi32(_mm256_set1_epi32(2), exponents);
        _mm256_castsi256_ps(_mm256_blendv_epi8(halves, subnormal, is_subnormal))
    }
}

/// [`Lanes::pairs_of_halves`](super::Lanes::pairs_of_halves).
///
/// # Safety
/// As for [`Lanes`](super::Lanes).
#[inline(always)]
pub(super) unsafe fn pairs_of_halves(rows: [*const u8; ROWS]) -> [__m256; 2] {
    // SAFETY: by the contract of this function.
    unsafe {
        let mut low = _mm_cvtsi32_si128(pair(rows[0]));
        low = _mm_insert_epi32::<1>(low, pair(rows[1]));
        low = _mm_insert_epi32::<2>(low, pair(rows[2]));
        low = _mm_insert_epi32::<3>(low, pair(rows[3]));
        let mut high = _mm_cvtsi32_si128(pair(rows[4]));
        high = _mm_insert_epi32::<1>(high, pair(rows[5]));
        high = _mm_insert_epi32::<2>(high, pair(rows[6]));
        high = _mm_insert_epi32::<3>(high, pair(rows[7]));
        let pairs = _mm256_set_m128i(high, low);
        // The first ones of four rows in the low half of each 16 bytes, then the second ones.
        let order = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,
        ));
        let sorted = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_shuffle_epi8(pairs, order));
        [
            _mm256_cvtph_ps(_mm256_castsi256_si128(sorted)),
            _mm256_cvtph_ps(_mm256_extracti128_si256::<1>(sorted)),
        ]
    }
}

#[inline(always)]
unsafe fn half(row: *const u8) -> u16 {
    // SAFETY: by the contract of the callers.
    unsafe { row.cast::<u16>().read_unaligned() }
}

#[inline(always)]
unsafe fn pair(row: *const u8) -> i32 {
    // SAFETY: by the contract of the callers.
    unsafe { row.cast::<i32>().read_unaligned() }
}

/// 16 bytes of each row: vector `i` has those of rows `i` and `i + 4`.
///
/// # Safety
/// As for [`Lanes`](super::Lanes).
#[inline(always)]
pub(super) unsafe fn by_rows(rows: [*const u8; ROWS]) -> [__m256i; 4] {
    // SAFETY: by the contract of this function.
    unsafe {
        let mut vectors = [_mm256_setzero_si256(); 4];
        for at in 0..4 {
            let low = _mm256_castsi128_si256(_mm_loadu_si128(rows[at].cast()));
            let high = _mm_loadu_si128(rows[at + 4].cast());
            vectors[at] = _mm256_inserti128_si256::<1>(low, high);
        }
        vectors
    }
}

/// Interleaves rows four bytes by four bytes.
///
/// # Safety
/// As for [`Lanes`](super::Lanes).
#[inline(always)]
pub(super) unsafe fn by_quads(by_rows: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: by the contract of this function.
    unsafe {
        let [a, b, c, d] = by_rows;
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

/// [`Lanes::load_bits`](super::Lanes::load_bits), arranged as by [`by_rows`].
///
/// # Safety
/// As for [`Lanes`](super::Lanes).
#[inline(always)]
pub(super) unsafe fn bits_by_rows(rows: [*const u8; ROWS]) -> [[__m256i; 4]; 2] {
    // SAFETY: by the contract of this function.
    unsafe {
        let bit = _mm256_set1_epi64x(i64::from_le_bytes([1, 2, 4, 8, 16, 32, 64, 128]));
        let bytes = [
            _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0101_0101_0101_0101, 0)),
            _mm256_broadcastsi128_si256(_mm_set_epi64x(
                0x0303_0303_0303_0303,
                0x0202_0202_0202_0202,
            )),
        ];
        let mut halves = [[bit; 4]; 2];
        for at in 0..4 {
            let low = _mm256_castsi128_si256(_mm_cvtsi32_si128(pair(rows[at])));
            let high = _mm_cvtsi32_si128(pair(rows[at + 4]));
            let both = _mm256_inserti128_si256::<1>(low, high);
            for half in 0..2 {
                let found = _mm256_and_si256(_mm256_shuffle_epi8(both, bytes[half]), bit);
                halves[half][at] = _mm256_cmpeq_epi8(found, bit);
            }
        }
        halves
    }
}
