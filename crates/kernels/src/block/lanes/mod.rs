//! Vectors of eight lanes, one for each of eight rows of a weight.
//!
//! Since a lane is a row, the order in which its products are summed does not depend on the
//! instruction set.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

pub(super) use portable::value;

use super::format::{Format, UNIT};
use crate::Isa;

/// Lanes of a vector.
pub(super) const ROWS: usize = 8;

/// A vector of eight numbers of 32 bits and its operations.
///
/// # Safety of all functions
/// The processor supports the instructions, and pointers are valid for what the function reads or
/// writes; they need no alignment.
pub(super) trait Lanes: Copy {
    /// Integers: each an `i32`, or four bytes.
    type I: Copy;
    /// `f32`.
    type F: Copy;
    /// Whether [`dots`](Self::dots) takes signed bytes with their sign bit inverted: as unsigned
    /// ones, from which 128 is subtracted.
    const INVERTS_SIGNS: bool = false;

    unsafe fn zero() -> Self::I;
    /// Reads 32 bytes.
    unsafe fn load_bytes(from: *const u8) -> Self::I;
    unsafe fn splat_i32(value: i32) -> Self::I;
    unsafe fn sub_i32(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn to_f32(v: Self::I) -> Self::F;
    /// Each byte with its highest bit inverted.
    unsafe fn invert_signs(v: Self::I) -> Self::I;
    /// Byte `BYTE` of each lane as a number, minus the offset of the kind.
    unsafe fn column<F: Format, const BYTE: usize>(v: Self::I) -> Self::F;

    unsafe fn splat(value: f32) -> Self::F;
    unsafe fn load(from: *const f32) -> Self::F;
    unsafe fn store(to: *mut f32, v: Self::F);
    unsafe fn mul(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn add(a: Self::F, b: Self::F) -> Self::F;
    /// `a * b + c`, fused where there is an instruction.
    unsafe fn fma(a: Self::F, b: Self::F, c: Self::F) -> Self::F;

    /// Interleaves 32 bytes of each row, four by four.
    unsafe fn interleave_32(rows: [*const u8; ROWS]) -> [Self::I; UNIT / 4];
    /// Interleaves the halves of 16 bytes of each row: the low ones, then the high ones.
    unsafe fn interleave_halves(rows: [*const u8; ROWS]) -> [Self::I; UNIT / 4];
    /// The `f16` at each pointer.
    unsafe fn halves(rows: [*const u8; ROWS]) -> Self::F;
    /// The first and the second `f16` at each pointer.
    unsafe fn pairs_of_halves(rows: [*const u8; ROWS]) -> [Self::F; 2];

    /// The sums of the products of a unit of each lane with `R` units of 32 signed bytes, `stride`
    /// bytes apart, none of which is -128.
    unsafe fn dots<F: Format, const R: usize>(
        bytes: &[Self::I; UNIT / 4],
        x: *const i8,
        stride: usize,
    ) -> [Self::I; R];

    /// Prefetches the cache line at an address that need not exist.
    unsafe fn prefetch(address: *const u8) {
        let _ = address;
    }
}

/// Work, generic over the vectors.
pub(super) trait Work {
    /// Does it. Implementations are `#[inline(always)]`.
    ///
    /// # Safety
    /// The processor supports the instructions of `L`.
    unsafe fn run<L: Lanes>(self);
}

/// Does work with the instructions of `isa`, and those for dot products of bytes if the processor
/// has them, which do not change results.
pub(super) fn run<W: Work>(isa: Isa, work: W) {
    assert!(isa.is_available(), "BUG: the processor has no {isa}");
    // SAFETY: the processor supports the instructions.
    unsafe {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 | Isa::Avx512Bf16 | Isa::Amx if is_x86_feature_detected!("avx512vnni") => {
                avx2::enter_avx512_vnni(work)
            }
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 | Isa::Avx512 | Isa::Avx512Bf16 | Isa::Amx => {
                if is_x86_feature_detected!("avxvnni") {
                    avx2::enter_avx_vnni(work)
                } else {
                    avx2::enter(work)
                }
            }
            _ => work.run::<portable::Portable>(),
        }
    }
}

/// Pointers moved by some bytes, which may be out of bounds.
#[inline(always)]
pub(super) fn offset(mut rows: [*const u8; ROWS], bytes: usize) -> [*const u8; ROWS] {
    for row in &mut rows {
        *row = row.wrapping_add(bytes);
    }
    rows
}
