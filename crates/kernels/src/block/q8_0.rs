//! Blocks of signed bytes with a scale.

use super::{
    format::{Format, Scales, UNIT, Unit, half_at},
    lanes::{Lanes, ROWS, offset},
};

pub(super) struct Q8_0;

impl Format for Q8_0 {
    const BYTES: usize = 34;
    const IS_SIGNED: bool = true;
    const MAX: usize = 128;

    type Header<L: Lanes> = Scales<L>;

    #[inline(always)]
    fn unit(block: &[u8], _: usize) -> Unit {
        let mut bytes = [0; UNIT];
        bytes.copy_from_slice(&block[2..34]);
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
        unsafe {
            [L::load_16::<BY_ROWS>(offset(blocks, 2)), L::load_16::<BY_ROWS>(offset(blocks, 18))]
        }
    }
}
