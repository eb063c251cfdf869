//! The description of a kind of blocks: one implementation of [`Format`] for each.
//!
//! Kernels see a block as units of [`UNIT`] values. The values of a unit are bytes, minus an
//! offset, times a scale, plus a minimum.

use super::{
    BlockKind,
    lanes::{Lanes, ROWS},
    q4_0::Q4_0,
    q4_1::Q4_1,
    q8_0::Q8_0,
};

/// Values of a unit.
pub(super) const UNIT: usize = 32;

/// A kind of blocks.
pub(super) trait Format: Send + Sync + 'static {
    /// Values and bytes of a block.
    const VALUES: usize;
    const BYTES: usize;
    /// Whether bytes are signed; otherwise they are unsigned.
    const IS_SIGNED: bool = false;
    /// The largest unsigned byte.
    const MAX: usize = 255;
    /// The power of two that is subtracted from unsigned bytes, if any.
    const OFFSET_BITS: Option<u32> = None;
    /// Whether there are minima.
    const HAS_MINIMA: bool = false;

    /// A unit of a block, which has [`BYTES`](Self::BYTES) bytes.
    fn unit(block: &[u8], unit: usize) -> Unit;

    /// A unit of blocks at the same place in eight rows.
    ///
    /// # Safety
    /// The pointers reach a block each; see also [`Lanes`].
    #[inline(always)]
    unsafe fn units<L: Lanes>(blocks: [*const u8; ROWS], unit: usize) -> Units<L> {
        // SAFETY: by the contract of this function.
        unsafe { interleaved::<L, Self>(blocks, unit) }
    }
}

/// A unit.
pub(super) struct Unit {
    pub bytes: [u8; UNIT],
    pub scale: f32,
    /// 0 where there are no minima.
    pub minimum: f32,
}

/// Units of eight rows, which are the lanes of the vectors.
#[derive(Clone, Copy)]
pub(super) struct Units<L: Lanes> {
    /// Vector `i` has four bytes of each row, from `4 * i` on.
    pub bytes: [L::I; UNIT / 4],
    pub scales: L::F,
    pub minima: L::F,
}

/// Interleaves units byte by byte.
///
/// # Safety
/// As for [`Format::units`].
#[inline(always)]
pub(super) unsafe fn interleaved<L: Lanes, F: Format + ?Sized>(
    blocks: [*const u8; ROWS],
    unit: usize,
) -> Units<L> {
    let mut bytes = [[[0_u8; 4]; ROWS]; UNIT / 4];
    let [mut scales, mut minima] = [[0.0_f32; ROWS]; 2];
    // SAFETY: by the contract of this function.
    unsafe {
        for row in 0..ROWS {
            let unit = F::unit(std::slice::from_raw_parts(blocks[row], F::BYTES), unit);
            for at in 0..UNIT {
                bytes[at / 4][row][at % 4] = unit.bytes[at];
            }
            scales[row] = unit.scale;
            minima[row] = unit.minimum;
        }
        let mut vectors = [L::zero(); UNIT / 4];
        for at in 0..vectors.len() {
            vectors[at] = L::load_bytes(bytes[at].as_ptr().cast());
        }
        Units { bytes: vectors, scales: L::load(scales.as_ptr()), minima: L::load(minima.as_ptr()) }
    }
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
    }
}

/// The `f16` at a byte of a block.
#[inline(always)]
pub(super) fn half_at(block: &[u8], at: usize) -> f32 {
    crate::Element::to_f32(half::f16::from_le_bytes([block[at], block[at + 1]]))
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
