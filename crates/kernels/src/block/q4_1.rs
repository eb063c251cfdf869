//! Blocks of halves of bytes with a scale and a minimum.

use super::{
    format::{Format, UNIT, Unit, Units, half_at, halves},
    lanes::{Lanes, ROWS, offset},
};

pub(super) struct Q4_1;

impl Format for Q4_1 {
    const VALUES: usize = UNIT;
    const BYTES: usize = 20;
    const MAX: usize = 15;
    const HAS_MINIMA: bool = true;

    #[inline(always)]
    fn unit(block: &[u8], _: usize) -> Unit {
        Unit { bytes: halves(&block[4..20]), scale: half_at(block, 0), minimum: half_at(block, 2) }
    }

    #[inline(always)]
    unsafe fn units<L: Lanes>(blocks: [*const u8; ROWS], _: usize) -> Units<L> {
        // SAFETY: by the contract of this trait.
        unsafe {
            let [scales, minima] = L::pairs_of_halves(blocks);
            Units { bytes: L::interleave_halves(offset(blocks, 4)), scales, minima }
        }
    }
}
