//! Vectors of eight lanes, one for each of eight rows of a weight.
//!
//! Since a lane is a row, the order in which its products are summed does not depend on the
//! instruction set.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

pub(super) use portable::value;

use super::format::Format;
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
    unsafe fn splat_i32(value: i32) -> Self::I;
    /// `a - (b << bits)`.
    unsafe fn sub_shifted(a: Self::I, b: Self::I, bits: u32) -> Self::I;
    unsafe fn to_f32(v: Self::I) -> Self::F;

    /// Each byte shifted right, of which a mask is kept that excludes bits of other bytes.
    unsafe fn bits(v: Self::I, shift: u32, mask: u8) -> Self::I;
    /// Each byte of `low`, or that of `high` shifted left within the byte.
    unsafe fn or_shifted<const BITS: i32>(low: Self::I, high: Self::I) -> Self::I;
    /// The signed bytes that a table has for bytes less than 16.
    unsafe fn lookup(table: &[i8; 16], v: Self::I) -> Self::I;
    /// Each byte with its highest bit inverted.
    unsafe fn invert_signs(v: Self::I) -> Self::I;
    /// An unsigned byte of each lane.
    unsafe fn byte(v: Self::I, byte: u32) -> Self::I;
    /// A signed byte of each lane, twice in 16 bits.
    unsafe fn factor(v: Self::I, byte: u32) -> Self::I;
    /// The number of a [`factor`](Self::factor).
    unsafe fn factor_to_f32(factor: Self::I) -> Self::F;
    /// The sum of two factors times two numbers of 16 bits, the first of which is the lower one.
    unsafe fn factored(factors: [Self::I; 2], pair: i32) -> Self::I;
    /// Byte `BYTE` of each lane as a number, minus the offset of the kind.
    unsafe fn column<F: Format, const BYTE: usize>(v: Self::I) -> Self::F;

    unsafe fn splat(value: f32) -> Self::F;
    unsafe fn load(from: *const f32) -> Self::F;
    unsafe fn store(to: *mut f32, v: Self::F);
    unsafe fn mul(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn add(a: Self::F, b: Self::F) -> Self::F;
    /// `a * b + c`, fused where there is an instruction.
    unsafe fn fma(a: Self::F, b: Self::F, c: Self::F) -> Self::F;

    /// 16 bytes of each row. Vector `i` has bytes `4 * i` to `4 * i + 3` of each; with `BY_ROWS`,
    /// their arrangement is one that [`dots`](Self::dots) takes and that is faster to load.
    unsafe fn load_16<const BY_ROWS: bool>(rows: [*const u8; ROWS]) -> [Self::I; 4];
    /// The 32 bits at each pointer, each of which becomes a byte, 0 or 255: the first 16 and the
    /// last 16, as [`load_16`](Self::load_16) arranges them.
    unsafe fn load_bits<const BY_ROWS: bool>(rows: [*const u8; ROWS]) -> [[Self::I; 4]; 2];
    /// The `f16` at each pointer.
    unsafe fn halves(rows: [*const u8; ROWS]) -> Self::F;
    /// Half of the power of two with the biased exponent of 8 bits at each pointer.
    unsafe fn half_exponents(rows: [*const u8; ROWS]) -> Self::F;
    /// The first and the second `f16` at each pointer.
    unsafe fn pairs_of_halves(rows: [*const u8; ROWS]) -> [Self::F; 2];

    /// The sums of the products of a unit of each lane, times its factors if the kind has them,
    /// with `R` units of 32 signed bytes, `stride` bytes apart, none of which is -128.
    unsafe fn dots<F: Format, const R: usize, const BY_ROWS: bool>(
        bytes: &[[Self::I; 4]; 2],
        factors: [Self::I; 2],
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
