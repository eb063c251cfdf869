//! Blocks of indices into a table of 16 numbers, with a scale.

#![allow(non_camel_case_types, reason = "the names are those of the formats")]
#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

use super::{
    format::{Format, Scales, UNIT, Unit, half_at, half_power_of_two, halves, halves_of_rows},
    lanes::{Lanes, ROWS, offset},
};

/// Twice the values of floats of four bits (E2M1).
const E2M1: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// The numbers of `IQ4_NL`, which are closer together around 0.
const NON_LINEAR: [i8; 16] =
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

pub(super) struct Mxfp4;

impl Format for Mxfp4 {
    const BYTES: usize = 17;
    const IS_SIGNED: bool = true;
    const MAX: usize = 12;

    type Header<L: Lanes> = Scales<L>;

    #[inline(always)]
    fn unit(block: &[u8], _: usize) -> Unit {
        let bytes = looked_up(&E2M1, &block[1..]);
        Unit { bytes, scale: half_power_of_two(block[0]), minimum: 0.0, factors: [1; 2] }
    }

    #[inline(always)]
    unsafe fn header<L: Lanes>(blocks: [*const u8; ROWS]) -> Scales<L> {
        // SAFETY: by the contract of this trait.
        unsafe { Scales::of_scales(L::half_exponents(blocks)) }
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
        unsafe { looked_up_of_rows::<L, BY_ROWS>(&E2M1, offset(blocks, 1)) }
    }
}

pub(super) struct IQ4_NL;

impl Format for IQ4_NL {
    const BYTES: usize = 18;
    const IS_SIGNED: bool = true;
    const MAX: usize = 127;

    type Header<L: Lanes> = Scales<L>;

    #[inline(always)]
    fn unit(block: &[u8], _: usize) -> Unit {
        let bytes = looked_up(&NON_LINEAR, &block[2..]);
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
        unsafe { looked_up_of_rows::<L, BY_ROWS>(&NON_LINEAR, offset(blocks, 2)) }
    }
}

/// The numbers whose indices are [`halves`].
#[inline(always)]
fn looked_up(table: &[i8; 16], bytes: &[u8]) -> [u8; UNIT] {
    let mut values = halves(bytes);
    for at in 0..UNIT {
        values[at] = table[usize::from(values[at])].cast_unsigned();
    }
    values
}

/// [`looked_up`] of eight rows.
///
/// # Safety
/// As for [`halves_of_rows`].
#[inline(always)]
unsafe fn looked_up_of_rows<L: Lanes, const BY_ROWS: bool>(
    table: &[i8; 16],
    rows: [*const u8; ROWS],
) -> [[L::I; 4]; 2] {
    // SAFETY: by the contract of this function.
    unsafe {
        let mut bytes = halves_of_rows::<L, BY_ROWS>(rows);
        for half in 0..2 {
            for at in 0..4 {
                bytes[half][at] = L::lookup(table, bytes[half][at]);
            }
        }
        bytes
    }
}
