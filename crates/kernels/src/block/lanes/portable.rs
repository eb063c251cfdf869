//! Vectors that the compiler builds from the instructions of every processor.

#![allow(clippy::needless_range_loop, reason = "indices are lanes and bytes of several arrays")]

use super::{Lanes, ROWS};
use crate::block::format::{Format, half_at, half_power_of_two};

#[derive(Clone, Copy)]
pub(in crate::block) struct Portable;

impl Lanes for Portable {
    type I = [[u8; 4]; ROWS];
    type F = [f32; ROWS];

    #[inline(always)]
    unsafe fn zero() -> Self::I {
        [[0; 4]; ROWS]
    }

    #[inline(always)]
    unsafe fn splat_i32(value: i32) -> Self::I {
        [value.to_ne_bytes(); ROWS]
    }

    #[inline(always)]
    unsafe fn sub_shifted(a: Self::I, b: Self::I, bits: u32) -> Self::I {
        std::array::from_fn(|i| {
            let b = i32::from_ne_bytes(b[i]) << bits;
            i32::from_ne_bytes(a[i]).wrapping_sub(b).to_ne_bytes()
        })
    }

    #[inline(always)]
    unsafe fn to_f32(v: Self::I) -> Self::F {
        v.map(|bytes| i32::from_ne_bytes(bytes) as f32)
    }

    #[inline(always)]
    unsafe fn bits(v: Self::I, shift: u32, mask: u8) -> Self::I {
        v.map(|bytes| bytes.map(|byte| byte >> shift & mask))
    }

    #[inline(always)]
    unsafe fn or_shifted<const BITS: i32>(low: Self::I, high: Self::I) -> Self::I {
        std::array::from_fn(|i| std::array::from_fn(|at| low[i][at] | high[i][at] << BITS))
    }

    #[inline(always)]
    unsafe fn lookup(table: &[i8; 16], v: Self::I) -> Self::I {
        v.map(|bytes| bytes.map(|byte| table[usize::from(byte & 15)].cast_unsigned()))
    }

    #[inline(always)]
    unsafe fn invert_signs(v: Self::I) -> Self::I {
        v.map(|bytes| bytes.map(|byte| byte ^ 0x80))
    }

    #[inline(always)]
    unsafe fn byte(v: Self::I, byte: u32) -> Self::I {
        v.map(|bytes| i32::from(bytes[byte as usize]).to_ne_bytes())
    }

    #[inline(always)]
    unsafe fn factor(v: Self::I, byte: u32) -> Self::I {
        v.map(|bytes| {
            let [low, high] = i16::from(bytes[byte as usize] as i8).to_ne_bytes();
            [low, high, low, high]
        })
    }

    #[inline(always)]
    unsafe fn factor_to_f32(factor: Self::I) -> Self::F {
        factor.map(|bytes| number(bytes) as f32)
    }

    #[inline(always)]
    unsafe fn factored(factors: [Self::I; 2], pair: i32) -> Self::I {
        let [low, high] = [pair as i16, (pair >> 16) as i16].map(i32::from);
        let [first, last] = factors;
        std::array::from_fn(|i| (number(first[i]) * low + number(last[i]) * high).to_ne_bytes())
    }

    #[inline(always)]
    unsafe fn column<F: Format, const BYTE: usize>(v: Self::I) -> Self::F {
        v.map(|bytes| value::<F>(bytes[BYTE]) as f32)
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self::F {
        [value; ROWS]
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self::F {
        // SAFETY: by the contract of this trait.
        unsafe { from.cast::<Self::F>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(to: *mut f32, v: Self::F) {
        // SAFETY: by the contract of this trait.
        unsafe { to.cast::<Self::F>().write_unaligned(v) }
    }

    #[inline(always)]
    unsafe fn mul(a: Self::F, b: Self::F) -> Self::F {
        std::array::from_fn(|i| a[i] * b[i])
    }

    #[inline(always)]
    unsafe fn add(a: Self::F, b: Self::F) -> Self::F {
        std::array::from_fn(|i| a[i] + b[i])
    }

    #[inline(always)]
    unsafe fn fma(a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        // A fused multiply-add would be a function call here.
        std::array::from_fn(|i| a[i] * b[i] + c[i])
    }

    #[inline(always)]
    unsafe fn load_16<const BY_ROWS: bool>(rows: [*const u8; ROWS]) -> [Self::I; 4] {
        // SAFETY: by the contract of this trait.
        let rows = rows.map(|row| unsafe { row.cast::<[[u8; 4]; 4]>().read_unaligned() });
        std::array::from_fn(|at| rows.map(|row| row[at]))
    }

    #[inline(always)]
    unsafe fn load_bits<const BY_ROWS: bool>(rows: [*const u8; ROWS]) -> [[Self::I; 4]; 2] {
        // SAFETY: by the contract of this trait.
        let rows = rows.map(|row| u32::from_le(unsafe { row.cast::<u32>().read_unaligned() }));
        let byte = |bits: u32, at: usize| if bits >> at & 1 == 1 { 255 } else { 0 };
        std::array::from_fn(|half| {
            std::array::from_fn(|quad| {
                rows.map(|bits| std::array::from_fn(|at| byte(bits, 16 * half + 4 * quad + at)))
            })
        })
    }

    #[inline(always)]
    unsafe fn halves(rows: [*const u8; ROWS]) -> Self::F {
        // SAFETY: by the contract of this trait.
        rows.map(|row| half_at(unsafe { &*row.cast::<[u8; 2]>() }, 0))
    }

    #[inline(always)]
    unsafe fn half_exponents(rows: [*const u8; ROWS]) -> Self::F {
        // SAFETY: by the contract of this trait.
        rows.map(|row| half_power_of_two(unsafe { row.read() }))
    }

    #[inline(always)]
    unsafe fn pairs_of_halves(rows: [*const u8; ROWS]) -> [Self::F; 2] {
        // SAFETY: by the contract of this trait.
        unsafe { [Self::halves(rows), Self::halves(super::offset(rows, 2))] }
    }

    #[inline(always)]
    unsafe fn dots<F: Format, const R: usize, const BY_ROWS: bool>(
        bytes: &[[Self::I; 4]; 2],
        factors: [Self::I; 2],
        x: *const i8,
        stride: usize,
    ) -> [Self::I; R] {
        let mut sums = [[0_i32; ROWS]; R];
        for r in 0..R {
            // SAFETY: by the contract of this trait.
            let x = unsafe { &*x.add(r * stride).cast::<[[[i8; 4]; 4]; 2]>() };
            for half in 0..2 {
                for row in 0..ROWS {
                    let mut sum = 0;
                    for at in 0..4 {
                        for byte in 0..4 {
                            let w = bytes[half][at][row][byte];
                            let w = if F::IS_SIGNED { i16::from(w as i8) } else { i16::from(w) };
                            debug_assert!(usize::from(w.unsigned_abs()) <= F::MAX);
                            sum += i32::from(w) * i32::from(x[half][at][byte]);
                        }
                    }
                    let factor = if F::HAS_FACTORS { number(factors[half][row]) } else { 1 };
                    sums[r][row] += factor * sum;
                }
            }
        }
        sums.map(|sums| sums.map(i32::to_ne_bytes))
    }
}

/// The number of a factor.
#[inline(always)]
fn number(factor: [u8; 4]) -> i32 {
    i32::from(i16::from_ne_bytes([factor[0], factor[1]]))
}

/// A byte's number, minus the offset of the kind.
#[inline(always)]
pub(in crate::block) fn value<F: Format>(byte: u8) -> i32 {
    if F::IS_SIGNED {
        return i32::from(byte as i8);
    }
    match F::OFFSET_BITS {
        Some(bits) => i32::from(byte) - (1 << bits),
        None => i32::from(byte),
    }
}
