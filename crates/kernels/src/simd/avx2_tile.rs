//! Four rows of `x` times three of a weight that is widened, on AVX2.
//!
//! Twelve sums, three weights and an element of `x` take all 16 registers. The compiler stores and
//! loads some of them in each step, except for `f32`, so these loops are written out.

use super::{STREAM_AHEAD, Steps};
use crate::Element;
use std::arch::asm;

/// Adds the products of eight columns: of `x` at an address, and of the weights in `ymm12` to
/// `ymm14`.
macro_rules! row {
    ($x:literal, $a:literal, $b:literal, $c:literal) => {
        concat!(
            "vmovups ymm15, [",
            $x,
            "]\n",
            "vfmadd231ps ymm",
            $a,
            ", ymm15, ymm12\n",
            "vfmadd231ps ymm",
            $b,
            ", ymm15, ymm13\n",
            "vfmadd231ps ymm",
            $c,
            ", ymm15, ymm14\n",
        )
    };
}

/// All steps, with macros that load the first and the second eight columns of a weight.
macro_rules! tile {
    ($steps:ident, $sums:ident, $first:ident, $second:ident) => {
        asm!(
            "vmovups ymm0, [{sums}]",
            "vmovups ymm1, [{sums} + 32]",
            "vmovups ymm2, [{sums} + 64]",
            "vmovups ymm3, [{sums} + 96]",
            "vmovups ymm4, [{sums} + 128]",
            "vmovups ymm5, [{sums} + 160]",
            "vmovups ymm6, [{sums} + 192]",
            "vmovups ymm7, [{sums} + 224]",
            "vmovups ymm8, [{sums} + 256]",
            "vmovups ymm9, [{sums} + 288]",
            "vmovups ymm10, [{sums} + 320]",
            "vmovups ymm11, [{sums} + 352]",
            "2:",
            "prefetcht0 [{w} + {ahead}]",
            "prefetcht0 [{w} + {stride} + {ahead}]",
            "prefetcht0 [{w} + 2 * {stride} + {ahead}]",
            $first!("12", "{w}"),
            $first!("13", "{w} + {stride}"),
            $first!("14", "{w} + 2 * {stride}"),
            row!("{x}", "0", "1", "2"),
            row!("{x} + 64", "3", "4", "5"),
            row!("{x} + 128", "6", "7", "8"),
            row!("{x} + 192", "9", "10", "11"),
            $second!("12", "{w}"),
            $second!("13", "{w} + {stride}"),
            $second!("14", "{w} + 2 * {stride}"),
            row!("{x} + 32", "0", "1", "2"),
            row!("{x} + 96", "3", "4", "5"),
            row!("{x} + 160", "6", "7", "8"),
            row!("{x} + 224", "9", "10", "11"),
            "add {w}, 32",
            "add {x}, {x_stride}",
            "dec {steps}",
            "jnz 2b",
            "vmovups [{sums}], ymm0",
            "vmovups [{sums} + 32], ymm1",
            "vmovups [{sums} + 64], ymm2",
            "vmovups [{sums} + 96], ymm3",
            "vmovups [{sums} + 128], ymm4",
            "vmovups [{sums} + 160], ymm5",
            "vmovups [{sums} + 192], ymm6",
            "vmovups [{sums} + 224], ymm7",
            "vmovups [{sums} + 256], ymm8",
            "vmovups [{sums} + 288], ymm9",
            "vmovups [{sums} + 320], ymm10",
            "vmovups [{sums} + 352], ymm11",
            sums = in(reg) $sums,
            x = inout(reg) $steps.x => _,
            x_stride = in(reg) 4 * $steps.x_stride,
            w = inout(reg) $steps.weight => _,
            stride = in(reg) 2 * $steps.stride,
            ahead = const STREAM_AHEAD,
            steps = inout(reg) $steps.count => _,
            out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _,
            out("ymm4") _, out("ymm5") _, out("ymm6") _, out("ymm7") _,
            out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
            out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
            options(nostack),
        )
    };
}

/// Loads the elements at even indices.
macro_rules! even_bf16 {
    ($to:literal, $from:literal) => {
        concat!("vmovdqu ymm", $to, ", [", $from, "]\nvpslld ymm", $to, ", ymm", $to, ", 16\n")
    };
}

/// Replaces them by those at odd indices: the lower halves of widened elements are zeros already.
macro_rules! odd_bf16 {
    ($to:literal, $from:literal) => {
        concat!("vpblendw ymm", $to, ", ymm", $to, ", [", $from, "], 0xaa\n")
    };
}

/// Loads the first eight elements.
macro_rules! first_f16 {
    ($to:literal, $from:literal) => {
        concat!("vcvtph2ps ymm", $to, ", [", $from, "]\n")
    };
}

/// Loads the others.
macro_rules! second_f16 {
    ($to:literal, $from:literal) => {
        concat!("vcvtph2ps ymm", $to, ", [", $from, " + 16]\n")
    };
}

/// [`Simd::add`](super::Simd::add) for four rows of `f32` and three of a weight.
///
/// # Safety
/// As for [`Simd`](super::Simd).
#[inline(always)]
pub(super) unsafe fn add<X, W: Element>(steps: Steps<X, W>, sums: *mut f32) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        match W::NAME {
            "bf16" => tile!(steps, sums, even_bf16, odd_bf16),
            "f16" => tile!(steps, sums, first_f16, second_f16),
            _ => return false,
        }
    }
    true
}
