//! The description of a kind of blocks: one implementation of [`Format`] for each.
//!
//! Kernels see a block as units of [`UNIT`] values. The values of a unit are bytes, minus an
//! offset, times a scale, plus a minimum. In some kinds each half of a unit is multiplied by an
//! integer, too.

#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

use super::{
    BlockKind,
    k_scales::{Q4_K, Q5_K},
    lanes::{Lanes, ROWS},
    one_scale::{IQ4_NL, MXFP4, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0},
    q6_k::Q6_K,
};

/// Values of a unit.
pub(super) const UNIT: usize = 32;

/// A kind of blocks.
pub(super) trait Format: Send + Sync + 'static {
    /// Units and bytes of a block.
    const UNITS: usize = 1;
    const BYTES: usize;
    /// Whether bytes are signed; otherwise they are unsigned.
    const IS_SIGNED: bool = false;
    /// The largest size of a byte.
    const MAX: usize;
    /// The power of two that is subtracted from unsigned bytes, if any.
    const OFFSET_BITS: Option<u32> = None;
    /// Whether there are minima.
    const HAS_MINIMA: bool = false;
    /// Whether there are factors of halves of units.
    const HAS_FACTORS: bool = false;

    /// The scales of eight blocks before they are those of units.
    type Header<L: Lanes>: Copy;

    /// A unit of a block, which has [`BYTES`](Self::BYTES) bytes.
    fn unit(block: &[u8], unit: usize) -> Unit;

    /// The header of blocks at the same place in eight rows.
    ///
    /// # Safety
    /// The pointers reach a block each; see also [`Lanes`].
    unsafe fn header<L: Lanes>(blocks: [*const u8; ROWS]) -> Self::Header<L>;

    /// # Safety
    /// See [`Lanes`].
    unsafe fn scales<L: Lanes>(header: &Self::Header<L>, unit: usize) -> Scales<L>;

    /// The first and the last 16 bytes of units of eight rows, each as [`Lanes::load_16`] arranges
    /// them.
    ///
    /// # Safety
    /// As for [`header`](Self::header).
    unsafe fn bytes<L: Lanes, const BY_ROWS: bool>(
        blocks: [*const u8; ROWS],
        unit: usize,
    ) -> [[L::I; 4]; 2];
}

/// A unit.
pub(super) struct Unit {
    pub bytes: [u8; UNIT],
    pub scale: f32,
    /// 0 where there are no minima.
    pub minimum: f32,
    /// 1 where there are no factors.
    pub factors: [i8; 2],
}

/// The scales of units of eight rows, which are the lanes of the vectors.
#[derive(Clone, Copy)]
pub(super) struct Scales<L: Lanes> {
    pub scales: L::F,
    pub minima: L::F,
    /// The factor of each half of the unit, twice in 16 bits.
    pub factors: [L::I; 2],
}

impl<L: Lanes> Scales<L> {
    /// # Safety
    /// See [`Lanes`].
    #[inline(always)]
    pub unsafe fn of_scales(scales: L::F) -> Self {
        // SAFETY: by the contract of this function.
        unsafe { Scales { scales, minima: L::splat(0.0), factors: [L::zero(); 2] } }
    }
}

/// Units of eight rows.
#[derive(Clone, Copy)]
pub(super) struct Units<L: Lanes> {
    pub bytes: [[L::I; 4]; 2],
    pub scales: Scales<L>,
}

/// Work that is compiled for each kind.
pub(super) trait Visit {
    type Output;

    fn visit<F: Format>(self) -> Self::Output;
}

/// Does work for a kind.
pub(super) fn visit<V: Visit>(kind: BlockKind, work: V) -> V::Output {
    match kind {
        BlockKind::Q8_0 => work.visit::<Q8_0>(),
        BlockKind::Q4_0 => work.visit::<Q4_0>(),
        BlockKind::Q4_1 => work.visit::<Q4_1>(),
        BlockKind::Q5_0 => work.visit::<Q5_0>(),
        BlockKind::Q5_1 => work.visit::<Q5_1>(),
        BlockKind::Q4_K => work.visit::<Q4_K>(),
        BlockKind::Q5_K => work.visit::<Q5_K>(),
        BlockKind::Q6_K => work.visit::<Q6_K>(),
        BlockKind::IQ4_NL => work.visit::<IQ4_NL>(),
        BlockKind::MXFP4 => work.visit::<MXFP4>(),
    }
}

/// The `f16` at a byte of a block.
#[inline(always)]
pub(super) fn half_at(block: &[u8], at: usize) -> f32 {
    crate::Element::to_f32(half::f16::from_le_bytes([block[at], block[at + 1]]))
}

/// Half of the power of two with a biased exponent, also of the largest one.
#[inline(always)]
pub(super) fn half_power_of_two(exponent: u8) -> f32 {
    // The two smallest halves are subnormal.
    let bits = match exponent {
        0..2 => 0x0020_0000 << exponent,
        _ => u32::from(exponent - 1) << 23,
    };
    f32::from_bits(bits)
}

/// The low halves of 16 bytes, then the high ones.
#[inline(always)]
pub(super) fn halves(bytes: &[u8]) -> [u8; UNIT] {
    let mut values = [0; UNIT];
    for at in 0..UNIT / 2 {
        values[at] = bytes[at] & 15;
        values[at + UNIT / 2] = bytes[at] >> 4;
    }
    values
}

/// [`halves`] of eight rows.
///
/// # Safety
/// The pointers reach 16 bytes each; see also [`Lanes`].
#[inline(always)]
pub(super) unsafe fn halves_of_rows<L: Lanes, const BY_ROWS: bool>(
    rows: [*const u8; ROWS],
) -> [[L::I; 4]; 2] {
    // SAFETY: by the contract of this function.
    unsafe {
        let bytes = L::load_16::<BY_ROWS>(rows);
        let mut halves = [bytes; 2];
        for at in 0..4 {
            halves[0][at] = L::bits(bytes[at], 0, 15);
            halves[1][at] = L::bits(bytes[at], 4, 15);
        }
        halves
    }
}

/// [`halves_of_rows`] of `low`, with the fifth bits of the values in the 32 bits at `high`.
///
/// # Safety
/// The pointers reach 16 bytes and 4 bytes each; see also [`Lanes`].
#[inline(always)]
pub(super) unsafe fn five_bits<L: Lanes, const BY_ROWS: bool>(
    low: [*const u8; ROWS],
    high: [*const u8; ROWS],
) -> [[L::I; 4]; 2] {
    // SAFETY: by the contract of this function.
    unsafe {
        let mut bytes = halves_of_rows::<L, BY_ROWS>(low);
        let high = L::load_bits::<BY_ROWS>(high);
        for half in 0..2 {
            for at in 0..4 {
                let bit = L::bits(high[half][at], 0, 1);
                bytes[half][at] = L::or_shifted::<4>(bytes[half][at], bit);
            }
        }
        bytes
    }
}
