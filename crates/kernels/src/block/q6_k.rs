//! Blocks of 256 values of six bits, with a scale and a factor for each 16 values.

#![allow(non_camel_case_types, reason = "the name is that of the format")]
#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

use super::{
    format::{Format, Scales, UNIT, Unit, half_at},
    lanes::{Lanes, ROWS, offset},
};

/// Bytes of the lowest four bits and of the highest two of 128 values.
const LOW: usize = 64;
const HIGH: usize = 32;

/// The places of the highest bits, the factors and the scale.
const HIGHS: usize = 2 * LOW;
const FACTORS: usize = HIGHS + 2 * HIGH;
const SCALE: usize = FACTORS + 16;

pub(super) struct Q6_K;

/// The first bytes of a unit's low and high bits, and by how much they are shifted.
#[inline(always)]
fn places(unit: usize) -> ([usize; 2], [u32; 2]) {
    let (part, quarter) = (unit / 4, unit % 4);
    let low = part * LOW + quarter % 2 * UNIT;
    let high = HIGHS + part * HIGH;
    ([low, high], [quarter as u32 / 2 * 4, quarter as u32 * 2])
}

impl Format for Q6_K {
    const UNITS: usize = 8;
    const BYTES: usize = SCALE + 2;
    const MAX: usize = 63;
    const OFFSET_BITS: Option<u32> = Some(5);
    const HAS_FACTORS: bool = true;

    type Header<L: Lanes> = Header<L>;

    #[inline(always)]
    fn unit(block: &[u8], unit: usize) -> Unit {
        let ([low, high], shifts) = places(unit);
        let (low, high) = (&block[low..][..UNIT], &block[high..][..UNIT]);
        let mut bytes = [0; UNIT];
        for at in 0..UNIT {
            bytes[at] = low[at] >> shifts[0] & 15 | (high[at] >> shifts[1] & 3) << 4;
        }
        let factors = [0, 1].map(|half| block[FACTORS + 2 * unit + half] as i8);
        Unit { bytes, scale: half_at(block, SCALE), minimum: 0.0, factors }
    }

    #[inline(always)]
    unsafe fn header<L: Lanes>(blocks: [*const u8; ROWS]) -> Header<L> {
        // SAFETY: by the contract of this trait.
        unsafe {
            let factors = L::load_16::<false>(offset(blocks, FACTORS));
            Header { factors, scales: L::halves(offset(blocks, SCALE)) }
        }
    }

    #[inline(always)]
    unsafe fn scales<L: Lanes>(header: &Header<L>, unit: usize) -> Scales<L> {
        let factors = header.factors[unit / 2];
        let first = unit as u32 % 2 * 2;
        // SAFETY: by the contract of this trait.
        unsafe {
            Scales {
                factors: [L::factor(factors, first), L::factor(factors, first + 1)],
                ..Scales::of_scales(header.scales)
            }
        }
    }

    #[inline(always)]
    unsafe fn bytes<L: Lanes, const BY_ROWS: bool>(
        blocks: [*const u8; ROWS],
        unit: usize,
    ) -> [[L::I; 4]; 2] {
        let ([low, high], shifts) = places(unit);
        // SAFETY: by the contract of this trait.
        unsafe {
            let mut bytes = [[L::zero(); 4]; 2];
            for half in 0..2 {
                let low = L::load_16::<BY_ROWS>(offset(blocks, low + 16 * half));
                let high = L::load_16::<BY_ROWS>(offset(blocks, high + 16 * half));
                for at in 0..4 {
                    let low = L::bits(low[at], shifts[0], 15);
                    let high = L::bits(high[at], shifts[1], 3);
                    bytes[half][at] = L::or_shifted::<4>(low, high);
                }
            }
            bytes
        }
    }
}

/// The scales of blocks of eight rows.
#[derive(Clone, Copy)]
pub(super) struct Header<L: Lanes> {
    /// The bytes that are factors of halves of units.
    factors: [L::I; 4],
    scales: L::F,
}
