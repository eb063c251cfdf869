//! Vectors that the compiler builds from the instructions of every processor.

use super::Simd;
use crate::Element;
use half::{bf16, f16};

/// Eight lanes.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

const LANES: usize = 8;

impl Simd for Portable {
    type V = [f32; LANES];
    const LANES: usize = LANES;
    const REGISTERS: usize = 16;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self::V {
        [value; LANES]
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self::V {
        // SAFETY: by the contract of this trait.
        unsafe { from.cast::<Self::V>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(to: *mut f32, v: Self::V) {
        // SAFETY: by the contract of this trait.
        unsafe { to.cast::<Self::V>().write_unaligned(v) }
    }

    #[inline(always)]
    unsafe fn fma(a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        // A fused multiply-add would be a function call here.
        std::array::from_fn(|i| a[i] * b[i] + c[i])
    }

    #[inline(always)]
    unsafe fn sums(vectors: [Self::V; 4]) -> [f32; 4] {
        vectors.map(|v| ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])))
    }

    #[inline(always)]
    unsafe fn load_bf16(from: *const bf16) -> [Self::V; 2] {
        // SAFETY: by the contract of this trait.
        let from = unsafe { from.cast::<[bf16; 2 * LANES]>().read_unaligned() };
        [0, 1].map(|odd| std::array::from_fn(|i| Element::to_f32(from[2 * i + odd])))
    }

    #[inline(always)]
    unsafe fn load_f16(from: *const f16) -> [Self::V; 2] {
        // SAFETY: by the contract of this trait.
        let from = unsafe { from.cast::<[f16; 2 * LANES]>().read_unaligned() };
        [0, LANES].map(|start| std::array::from_fn(|i| Element::to_f32(from[start + i])))
    }
}
