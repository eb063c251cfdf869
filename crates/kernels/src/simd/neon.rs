//! Advanced SIMD of 64-bit Arm.

use super::{Simd, Task};
use half::{bf16, f16};
use std::arch::{aarch64::*, asm};

#[derive(Clone, Copy)]
pub(crate) struct Neon;

/// Runs a task.
#[target_feature(enable = "neon")]
pub(super) fn enter<T: Task>(task: T) -> T::Output {
    // SAFETY: this function has the feature.
    unsafe { task.run::<Neon>() }
}

impl Simd for Neon {
    type V = float32x4_t;
    const LANES: usize = 4;
    const REGISTERS: usize = 32;

    #[inline(always)]
    unsafe fn splat(value: f32) -> float32x4_t {
        // SAFETY: by the contract of this trait.
        unsafe { vdupq_n_f32(value) }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> float32x4_t {
        // SAFETY: by the contract of this trait.
        unsafe { vld1q_f32(from) }
    }

    #[inline(always)]
    unsafe fn store(to: *mut f32, v: float32x4_t) {
        // SAFETY: by the contract of this trait.
        unsafe { vst1q_f32(to, v) }
    }

    #[inline(always)]
    unsafe fn fma(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t {
        // SAFETY: by the contract of this trait.
        unsafe { vfmaq_f32(c, a, b) }
    }

    #[inline(always)]
    unsafe fn sums([a, b, c, d]: [float32x4_t; 4]) -> [f32; 4] {
        // SAFETY: by the contract of this trait; both types are 16 bytes.
        unsafe {
            let sums = vpaddq_f32(vpaddq_f32(a, b), vpaddq_f32(c, d));
            std::mem::transmute::<float32x4_t, [f32; 4]>(sums)
        }
    }

    #[inline(always)]
    unsafe fn load_bf16(from: *const bf16) -> [float32x4_t; 2] {
        // SAFETY: by the contract of this trait.
        unsafe {
            let pairs = vreinterpretq_u32_u16(vld1q_u16(from.cast()));
            let odd = vandq_u32(pairs, vdupq_n_u32(0xffff_0000));
            [vreinterpretq_f32_u32(vshlq_n_u32::<16>(pairs)), vreinterpretq_f32_u32(odd)]
        }
    }

    #[inline(always)]
    unsafe fn load_f16(from: *const f16) -> [float32x4_t; 2] {
        // SAFETY: by the contract of this trait. The conversions are part of the base set, and have
        // no intrinsics on stable Rust yet.
        unsafe {
            let halves = vld1q_u16(from.cast());
            let (low, high): (float32x4_t, float32x4_t);
            asm!(
                "fcvtl {low:v}.4s, {halves:v}.4h",
                "fcvtl2 {high:v}.4s, {halves:v}.8h",
                low = out(vreg) low,
                high = lateout(vreg) high,
                halves = in(vreg) halves,
                options(pure, nomem, nostack, preserves_flags),
            );
            [low, high]
        }
    }
}
