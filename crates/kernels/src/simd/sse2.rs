//! The portable instruction set on x86-64: vectors of eight lanes as two of SSE2, which all of its
//! processors have.
//!
//! The compiler makes the same of arrays, but takes many times as long for it.

use super::Simd;
use half::{bf16, f16, slice::HalfFloatSliceExt};
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
pub(crate) struct Sse2;

/// Lanes of half a vector.
const HALF: usize = 4;

impl Simd for Sse2 {
    type V = [__m128; 2];
    const LANES: usize = 2 * HALF;
    const REGISTERS: usize = 16;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self::V {
        // SAFETY: every processor has the instruction.
        unsafe { [_mm_set1_ps(value); 2] }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self::V {
        // SAFETY: by the contract of this trait.
        unsafe { [_mm_loadu_ps(from), _mm_loadu_ps(from.add(HALF))] }
    }

    #[inline(always)]
    unsafe fn store(to: *mut f32, [low, high]: Self::V) {
        // SAFETY: by the contract of this trait.
        unsafe {
            _mm_storeu_ps(to, low);
            _mm_storeu_ps(to.add(HALF), high);
        }
    }

    #[inline(always)]
    unsafe fn fma(a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        // SAFETY: every processor has the instructions.
        unsafe {
            [_mm_add_ps(_mm_mul_ps(a[0], b[0]), c[0]), _mm_add_ps(_mm_mul_ps(a[1], b[1]), c[1])]
        }
    }

    #[inline(always)]
    unsafe fn sums([a, b, c, d]: [Self::V; 4]) -> [f32; 4] {
        // SAFETY: every processor has the instructions; both types are 16 bytes.
        unsafe {
            let [mut a, mut b, mut c, mut d] = [
                _mm_add_ps(a[0], a[1]),
                _mm_add_ps(b[0], b[1]),
                _mm_add_ps(c[0], c[1]),
                _mm_add_ps(d[0], d[1]),
            ];
            _MM_TRANSPOSE4_PS(&mut a, &mut b, &mut c, &mut d);
            let sums = _mm_add_ps(_mm_add_ps(a, c), _mm_add_ps(b, d));
            std::mem::transmute::<__m128, [f32; 4]>(sums)
        }
    }

    #[inline(always)]
    unsafe fn load_bf16(from: *const bf16) -> [Self::V; 2] {
        // SAFETY: by the contract of this trait.
        unsafe {
            let pairs = [_mm_loadu_si128(from.cast()), _mm_loadu_si128(from.add(2 * HALF).cast())];
            let odd = _mm_set1_epi32(0xffff_0000_u32 as i32);
            [
                [
                    _mm_castsi128_ps(_mm_slli_epi32::<16>(pairs[0])),
                    _mm_castsi128_ps(_mm_slli_epi32::<16>(pairs[1])),
                ],
                [
                    _mm_castsi128_ps(_mm_and_si128(pairs[0], odd)),
                    _mm_castsi128_ps(_mm_and_si128(pairs[1], odd)),
                ],
            ]
        }
    }

    #[inline(always)]
    unsafe fn load_f16(from: *const f16) -> [Self::V; 2] {
        let mut values = [f16::ZERO; 4 * HALF];
        // SAFETY: by the contract of this trait.
        unsafe {
            std::ptr::copy_nonoverlapping(from, values.as_mut_ptr(), values.len());
            let values = widened(&values);
            [Self::load(values.as_ptr()), Self::load(values.as_ptr().add(2 * HALF))]
        }
    }
}

/// A function of its own, since there is no instruction.
#[inline(never)]
fn widened(values: &[f16; 4 * HALF]) -> [f32; 4 * HALF] {
    let mut wide = [0.0; 4 * HALF];
    values.convert_to_f32_slice(&mut wide);
    wide
}
