//! Blocks of signed bytes with a scale.

use super::{
    format::{Format, UNIT, Unit, Units, half_at},
    lanes::{Lanes, ROWS, offset},
};

pub(super) struct Q8_0;

impl Format for Q8_0 {
    const VALUES: usize = UNIT;
    const BYTES: usize = 34;
    const IS_SIGNED: bool = true;

    #[inline(always)]
    fn unit(block: &[u8], _: usize) -> Unit {
        let mut bytes = [0; UNIT];
        bytes.copy_from_slice(&block[2..34]);
        Unit { bytes, scale: half_at(block, 0), minimum: 0.0 }
    }

    #[inline(always)]
    unsafe fn units<L: Lanes>(blocks: [*const u8; ROWS], _: usize) -> Units<L> {
        // SAFETY: by the contract of this trait.
        unsafe {
            Units {
                bytes: L::interleave_32(offset(blocks, 2)),
                scales: L::halves(blocks),
                minima: L::splat(0.0),
            }
        }
    }
}
