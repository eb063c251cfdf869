//! Blocks of one unit with a scale, and a minimum in some kinds.

#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

use super::{
    format::{
        Format, Scales, UNIT, Unit, five_bits, half_at, half_power_of_two, halves, halves_of_rows,
    },
    lanes::{Lanes, ROWS, offset},
};

/// The place of the numbers in a block.
#[derive(Clone, Copy)]
enum Numbers {
    /// Signed bytes.
    Bytes(usize),
    /// Halves of bytes: 16 low ones, then 16 high ones.
    Halves(usize),
    /// 32 fifth bits, then the halves.
    FiveBits(usize),
    /// Halves that are indices of a table.
    Table(usize, &'static [i8; 16]),
}

/// A kind of such blocks: numbers follow a scale in `f16`.
trait OneScale: Send + Sync + 'static {
    const NUMBERS: Numbers;
    /// See [`Format`].
    const MAX: usize;
    const OFFSET_BITS: Option<u32> = None;
    /// Whether a minimum in `f16` follows the scale.
    const HAS_MINIMA: bool = false;
    /// Whether the scale is half of a power of two instead, with an exponent of 8 bits.
    const HAS_EXPONENT: bool = false;
}

/// Twice the values of floats of four bits (E2M1).
const E2M1: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// The numbers of `IQ4_NL`, which are closer together around 0.
const NON_LINEAR: [i8; 16] =
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

pub(super) struct Q8_0;

impl OneScale for Q8_0 {
    const NUMBERS: Numbers = Numbers::Bytes(2);
    const MAX: usize = 128;
}

pub(super) struct Q4_0;

impl OneScale for Q4_0 {
    const NUMBERS: Numbers = Numbers::Halves(2);
    const MAX: usize = 15;
    const OFFSET_BITS: Option<u32> = Some(3);
}

pub(super) struct Q4_1;

impl OneScale for Q4_1 {
    const NUMBERS: Numbers = Numbers::Halves(4);
    const MAX: usize = 15;
    const HAS_MINIMA: bool = true;
}

pub(super) struct Q5_0;

impl OneScale for Q5_0 {
    const NUMBERS: Numbers = Numbers::FiveBits(2);
    const MAX: usize = 31;
    const OFFSET_BITS: Option<u32> = Some(4);
}

pub(super) struct Q5_1;

impl OneScale for Q5_1 {
    const NUMBERS: Numbers = Numbers::FiveBits(4);
    const MAX: usize = 31;
    const HAS_MINIMA: bool = true;
}

#[allow(non_camel_case_types, reason = "the name is that of the format")]
pub(super) struct IQ4_NL;

impl OneScale for IQ4_NL {
    const NUMBERS: Numbers = Numbers::Table(2, &NON_LINEAR);
    const MAX: usize = 127;
}

pub(super) struct MXFP4;

impl OneScale for MXFP4 {
    const NUMBERS: Numbers = Numbers::Table(1, &E2M1);
    const MAX: usize = 12;
    const HAS_EXPONENT: bool = true;
}

impl<T: OneScale> Format for T {
    const BYTES: usize = match T::NUMBERS {
        Numbers::Bytes(start) => start + UNIT,
        Numbers::Halves(start) | Numbers::Table(start, _) => start + UNIT / 2,
        Numbers::FiveBits(start) => start + UNIT / 8 + UNIT / 2,
    };
    const IS_SIGNED: bool = matches!(T::NUMBERS, Numbers::Bytes(_) | Numbers::Table(..));
    const MAX: usize = T::MAX;
    const OFFSET_BITS: Option<u32> = T::OFFSET_BITS;
    const HAS_MINIMA: bool = T::HAS_MINIMA;

    type Header<L: Lanes> = Scales<L>;

    #[inline(always)]
    fn unit(block: &[u8], _: usize) -> Unit {
        let mut bytes = [0; UNIT];
        match T::NUMBERS {
            Numbers::Bytes(start) => bytes.copy_from_slice(&block[start..start + UNIT]),
            Numbers::Halves(start) => bytes = halves(&block[start..]),
            Numbers::FiveBits(start) => {
                bytes = halves(&block[start + UNIT / 8..]);
                for at in 0..UNIT {
                    bytes[at] |= (block[start + at / 8] >> (at % 8) & 1) << 4;
                }
            }
            Numbers::Table(start, table) => {
                bytes = halves(&block[start..]);
                for at in 0..UNIT {
                    bytes[at] = table[usize::from(bytes[at])].cast_unsigned();
                }
            }
        }
        let scale = if T::HAS_EXPONENT { half_power_of_two(block[0]) } else { half_at(block, 0) };
        let minimum = if T::HAS_MINIMA { half_at(block, 2) } else { 0.0 };
        Unit { bytes, scale, minimum, factors: [1; 2] }
    }

    #[inline(always)]
    unsafe fn header<L: Lanes>(blocks: [*const u8; ROWS]) -> Scales<L> {
        // SAFETY: by the contract of this trait.
        unsafe {
            if T::HAS_MINIMA {
                let [scales, minima] = L::pairs_of_halves(blocks);
                Scales { minima, ..Scales::of_scales(scales) }
            } else if T::HAS_EXPONENT {
                Scales::of_scales(L::half_exponents(blocks))
            } else {
                Scales::of_scales(L::halves(blocks))
            }
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
        unsafe {
            match T::NUMBERS {
                Numbers::Bytes(start) => [
                    L::load_16::<BY_ROWS>(offset(blocks, start)),
                    L::load_16::<BY_ROWS>(offset(blocks, start + 16)),
                ],
                Numbers::Halves(start) => halves_of_rows::<L, BY_ROWS>(offset(blocks, start)),
                Numbers::FiveBits(start) => {
                    let low = offset(blocks, start + UNIT / 8);
                    five_bits::<L, BY_ROWS>(low, offset(blocks, start))
                }
                Numbers::Table(start, table) => {
                    let mut bytes = halves_of_rows::<L, BY_ROWS>(offset(blocks, start));
                    for half in 0..2 {
                        for at in 0..4 {
                            bytes[half][at] = L::lookup(table, bytes[half][at]);
                        }
                    }
                    bytes
                }
            }
        }
    }
}
