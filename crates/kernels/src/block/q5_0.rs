//! Blocks of values of five bits with a scale.

#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

use super::{
    format::{Format, Scales, UNIT, Unit, five_bits, half_at, halves},
    lanes::{Lanes, ROWS, offset},
};

pub(super) struct Q5_0;

/// The places of the fifth bits and of the others.
const HIGH: usize = 2;
const LOW: usize = 6;

impl Format for Q5_0 {
    const BYTES: usize = LOW + UNIT / 2;
    const MAX: usize = 31;
    const OFFSET_BITS: Option<u32> = Some(4);

    type Header<L: Lanes> = Scales<L>;

    #[inline(always)]
    fn unit(block: &[u8], _: usize) -> Unit {
        let mut bytes = halves(&block[LOW..]);
        for at in 0..UNIT {
            bytes[at] |= (block[HIGH + at / 8] >> (at % 8) & 1) << 4;
        }
        Unit { bytes, scale: half_at(block, 0), minimum: 0.0, factors: [1; 2] }
    }

    #[inline(always)]
    unsafe fn header<L: Lanes>(blocks: [*const u8; ROWS]) -> Scales<L> {
        // SAFETY: by the contract of this trait.
        unsafe { Scales::of_scales(L::halves(blocks)) }
    }

    #[inline(always)]
    unsafe fn scales<L: Lanes>(header: &Scales<L>, _: usize) -> Scales<L> {
        *header
    }

    #[inline(always)]
    unsafe fn bytes<L: Lanes, const BY_ROWS: bool>(
        blocks: [*const u8; ROWS],
        _: usize,
    ) -> [[L::I; 4]; 2] {
        // SAFETY: by the contract of this trait.
        unsafe { five_bits::<L, BY_ROWS>(offset(blocks, LOW), offset(blocks, HIGH)) }
    }
}
