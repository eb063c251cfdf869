//! Blocks of halves of bytes with a scale.

use super::{
    format::{Format, Scales, Unit, half_at, halves, halves_of_rows},
    lanes::{Lanes, ROWS, offset},
};

pub(super) struct Q4_0;

impl Format for Q4_0 {
    const BYTES: usize = 18;
    const MAX: usize = 15;
    const OFFSET_BITS: Option<u32> = Some(3);

    type Header<L: Lanes> = Scales<L>;

    #[inline(always)]
    fn unit(block: &[u8], _: usize) -> Unit {
        let bytes = halves(&block[2..18]);
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
        unsafe { halves_of_rows::<L, BY_ROWS>(offset(blocks, 2)) }
    }
}
