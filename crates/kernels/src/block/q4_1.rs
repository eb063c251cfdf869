//! Blocks of halves of bytes with a scale and a minimum.

use super::{
    format::{Format, Scales, Unit, half_at, halves, halves_of_rows},
    lanes::{Lanes, ROWS, offset},
};

pub(super) struct Q4_1;

impl Format for Q4_1 {
    const BYTES: usize = 20;
    const MAX: usize = 15;
    const HAS_MINIMA: bool = true;

    type Header<L: Lanes> = Scales<L>;

    #[inline(always)]
    fn unit(block: &[u8], _: usize) -> Unit {
        let bytes = halves(&block[4..20]);
        Unit { bytes, scale: half_at(block, 0), minimum: half_at(block, 2), factors: [1; 2] }
    }

    #[inline(always)]
    unsafe fn header<L: Lanes>(blocks: [*const u8; ROWS]) -> Scales<L> {
        // SAFETY: by the contract of this trait.
        unsafe {
            let [scales, minima] = L::pairs_of_halves(blocks);
            Scales { minima, ..Scales::of_scales(scales) }
        }
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
        unsafe { halves_of_rows::<L, BY_ROWS>(offset(blocks, 4)) }
    }
}
