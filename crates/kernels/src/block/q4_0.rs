//! Blocks of halves of bytes with a scale.

use super::{
    format::{Format, UNIT, Unit, Units, half_at, halves},
    lanes::{Lanes, ROWS, offset},
};

pub(super) struct Q4_0;

impl Format for Q4_0 {
    const VALUES: usize = UNIT;
    const BYTES: usize = 18;
    const MAX: usize = 15;
    const OFFSET_BITS: Option<u32> = Some(3);

    #[inline(always)]
    fn unit(block: &[u8], _: usize) -> Unit {
        Unit { bytes: halves(&block[2..18]), scale: half_at(block, 0), minimum: 0.0 }
    }

    #[inline(always)]
    unsafe fn units<L: Lanes>(blocks: [*const u8; ROWS], _: usize) -> Units<L> {
        // SAFETY: by the contract of this trait.
        unsafe {
            Units {
                bytes: L::interleave_halves(offset(blocks, 2)),
                scales: L::halves(blocks),
                minima: L::splat(0.0),
            }
        }
    }
}
