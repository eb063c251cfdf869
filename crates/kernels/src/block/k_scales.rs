//! Blocks of 256 values whose eight units have scales and minima of six bits.

#![allow(non_camel_case_types, reason = "the names are those of the formats")]
#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

use super::{
    format::{Format, Scales, UNIT, Unit, half_at},
    lanes::{Lanes, ROWS, offset},
};

/// The byte of the scales of units in a block, after two `f16` that multiply the scales and the
/// minima.
const SCALES: usize = 4;

/// The first byte after the scales: the highest bits of values of five bits.
const HIGH: usize = 16;

/// Bytes with the lowest four bits of 64 values each.
const CHUNK: usize = 32;

/// A kind whose values have four bits, or five.
pub(super) struct SixBitScales<const BITS: usize>;

pub(super) type Q4_K = SixBitScales<4>;
pub(super) type Q5_K = SixBitScales<5>;

impl<const BITS: usize> SixBitScales<BITS> {
    /// The first byte of the lowest four bits, after the highest ones.
    const LOW: usize = if BITS == 5 { HIGH + UNIT } else { HIGH };
}

impl<const BITS: usize> Format for SixBitScales<BITS> {
    const UNITS: usize = 8;
    const BYTES: usize = Self::LOW + 4 * CHUNK;
    const MAX: usize = (1 << BITS) - 1;
    const HAS_MINIMA: bool = true;

    type Header<L: Lanes> = SixBits<L>;

    #[inline(always)]
    fn unit(block: &[u8], unit: usize) -> Unit {
        let [scale, minimum] = scale_and_minimum(block, unit);
        let low = &block[Self::LOW + unit / 2 * CHUNK..][..CHUNK];
        let mut bytes = [0; UNIT];
        for at in 0..UNIT {
            bytes[at] = low[at] >> (unit % 2 * 4) & 15;
            if BITS == 5 {
                bytes[at] |= (block[HIGH + at] >> unit & 1) << 4;
            }
        }
        Unit { bytes, scale, minimum, factors: [1; 2] }
    }

    #[inline(always)]
    unsafe fn header<L: Lanes>(blocks: [*const u8; ROWS]) -> SixBits<L> {
        // SAFETY: by the contract of this trait.
        unsafe { SixBits::of(blocks) }
    }

    #[inline(always)]
    unsafe fn scales<L: Lanes>(header: &SixBits<L>, unit: usize) -> Scales<L> {
        // SAFETY: by the contract of this trait.
        unsafe { header.scales(unit) }
    }

    #[inline(always)]
    unsafe fn bytes<L: Lanes, const BY_ROWS: bool>(
        blocks: [*const u8; ROWS],
        unit: usize,
    ) -> [[L::I; 4]; 2] {
        // SAFETY: by the contract of this trait.
        unsafe {
            let mut bytes = [[L::zero(); 4]; 2];
            for half in 0..2 {
                let low = offset(blocks, Self::LOW + unit / 2 * CHUNK + 16 * half);
                let low = L::load_16::<BY_ROWS>(low);
                for at in 0..4 {
                    bytes[half][at] = L::bits(low[at], unit as u32 % 2 * 4, 15);
                }
                if BITS == 5 {
                    let high = L::load_16::<BY_ROWS>(offset(blocks, HIGH + 16 * half));
                    for at in 0..4 {
                        let high = L::bits(high[at], unit as u32, 1);
                        bytes[half][at] = L::or_shifted::<4>(bytes[half][at], high);
                    }
                }
            }
            bytes
        }
    }
}

/// The scale and the minimum of a unit.
#[inline(always)]
fn scale_and_minimum(block: &[u8], unit: usize) -> [f32; 2] {
    let bytes = &block[SCALES..HIGH];
    let [scale, minimum] = if unit < 4 {
        [bytes[unit] & 63, bytes[unit + 4] & 63]
    } else {
        let [first, second] = [bytes[unit - 4] >> 6, bytes[unit] >> 6];
        [bytes[unit + 4] & 15 | first << 4, bytes[unit + 4] >> 4 | second << 4]
    };
    [half_at(block, 0) * f32::from(scale), -(half_at(block, 2) * f32::from(minimum))]
}

/// The scales and minima of units of eight rows.
#[derive(Clone, Copy)]
pub(super) struct SixBits<L: Lanes> {
    /// In bytes, those of units 0 to 3, and of 4 to 7.
    scales: [L::I; 2],
    minima: [L::I; 2],
    scale: L::F,
    minus_minimum: L::F,
}

impl<L: Lanes> SixBits<L> {
    #[inline(always)]
    unsafe fn of(blocks: [*const u8; ROWS]) -> Self {
        // SAFETY: by the contract of `Format`.
        unsafe {
            let [_, first, second, third] = L::load_16::<false>(blocks);
            let [scale, minimum] = L::pairs_of_halves(blocks);
            let last = [L::bits(third, 0, 15), L::bits(third, 4, 15)];
            let high = [L::bits(first, 6, 3), L::bits(second, 6, 3)];
            SixBits {
                scales: [L::bits(first, 0, 63), L::or_shifted::<4>(last[0], high[0])],
                minima: [L::bits(second, 0, 63), L::or_shifted::<4>(last[1], high[1])],
                scale,
                minus_minimum: L::mul(minimum, L::splat(-1.0)),
            }
        }
    }

    #[inline(always)]
    unsafe fn scales(&self, unit: usize) -> Scales<L> {
        let (word, byte) = (unit / 4, unit as u32 % 4);
        // SAFETY: by the contract of `Format`.
        unsafe {
            let scale = L::to_f32(L::byte(self.scales[word], byte));
            let minimum = L::to_f32(L::byte(self.minima[word], byte));
            Scales {
                minima: L::mul(self.minus_minimum, minimum),
                ..Scales::of_scales(L::mul(self.scale, scale))
            }
        }
    }
}
