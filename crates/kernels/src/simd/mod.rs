//! Vectors of `f32`, one implementation for each instruction set.
//!
//! A kernel is written once, as a [`Task`] that is generic over [`Simd`], and [`run`] calls it with
//! the instructions of an [`Isa`] enabled. All of it must be inlined into that entry point: other
//! functions are compiled without the instructions.

use crate::{Element, Isa, tile};
use half::{bf16, f16};

#[cfg(target_arch = "x86_64")]
pub(crate) mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_tile;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(not(target_arch = "x86_64"), miri))]
mod portable;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod sse2;

#[cfg(any(not(target_arch = "x86_64"), miri))]
use portable::Portable;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use sse2::Sse2 as Portable;

/// A vector of `f32` and its operations.
///
/// # Safety of all functions
/// The processor supports the instructions, and pointers are valid for as many elements as the
/// function reads or writes; they need no alignment.
pub(crate) trait Simd: Copy {
    /// The vector.
    type V: Copy;
    /// Its number of elements.
    const LANES: usize;
    /// The number of vector registers.
    const REGISTERS: usize;
    /// Whether [`call`](Self::call) does not inline the task.
    const CALLS: bool = false;

    /// Runs a task as a function of its own, where tiles need all registers.
    #[inline(always)]
    unsafe fn call<T: Task>(task: T) -> T::Output {
        // SAFETY: by the contract of this trait.
        unsafe { task.run::<Self>() }
    }
    unsafe fn splat(value: f32) -> Self::V;
    unsafe fn load(from: *const f32) -> Self::V;
    unsafe fn store(to: *mut f32, v: Self::V);
    /// `a * b + c`.
    unsafe fn fma(a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// The sums of the elements of four vectors.
    unsafe fn sums(vectors: [Self::V; 4]) -> [f32; 4];
    /// `2 * LANES` numbers: those at even indices, then those at odd ones.
    unsafe fn load_bf16(from: *const bf16) -> [Self::V; 2];
    /// `2 * LANES` numbers in order.
    unsafe fn load_f16(from: *const f16) -> [Self::V; 2];
    /// Writes `LANES` numbers, each as the nearest `f16`; ties to even.
    #[inline(always)]
    unsafe fn store_f16(to: *mut f16, numbers: Self::V) {
        // SAFETY: by the contract of this trait.
        unsafe { tile::narrowed::<Self, f16>(to, numbers) }
    }
    /// Adds the products of `R` rows of `x` and `N` of the weight to `sums`, `[R, N]` vectors, and
    /// returns whether it did: only tiles for which the compiler runs out of registers are written
    /// out. There is at least one step.
    #[inline(always)]
    unsafe fn add<X: Element, W: Element, const R: usize, const N: usize>(
        steps: Steps<X, W>,
        sums: *mut f32,
    ) -> bool {
        let _ = (steps, sums);
        false
    }
    /// Adds the products of `2 * LANES` pairs to `acc`, in any lanes.
    unsafe fn dot_bf16(acc: Self::V, x: *const bf16, w: *const bf16) -> Self::V {
        // SAFETY: by the contract of this trait.
        unsafe {
            let [x, w] = [Self::load_bf16(x), Self::load_bf16(w)];
            Self::fma(x[1], w[1], Self::fma(x[0], w[0], acc))
        }
    }
    /// Writes the columns of a square of `LANES` rows, which are `stride` elements apart, as
    /// contiguous rows.
    #[inline(always)]
    unsafe fn transpose(from: *const f32, stride: usize, to: *mut f32) {
        for row in 0..Self::LANES {
            for column in 0..Self::LANES {
                // SAFETY: by the contract of this trait.
                unsafe {
                    to.add(column * Self::LANES + row).write(*from.add(row * stride + column))
                };
            }
        }
    }
    /// Prefetches the cache line at an address that need not exist.
    unsafe fn prefetch(address: *const u8) {
        let _ = address;
    }
    /// Prefetches it into the L2 cache.
    unsafe fn prefetch_far(address: *const u8) {
        let _ = address;
    }
}

/// The instruction sets with operations on `f32` of their own.
pub(crate) const BASIC: &[Isa] = &[Isa::Portable, Isa::Avx2, Isa::Avx512, Isa::Neon];

/// Bytes by which rows of a weight that are streams of their own are prefetched.
pub(crate) const STREAM_AHEAD: usize = 512;

/// Columns of rows of `x` and of a weight, in steps of `2 * LANES`.
#[derive(Clone, Copy)]
pub(crate) struct Steps<X, W> {
    /// The first row of the first step; those of a step are adjacent, in the order in which
    /// elements of the weight are loaded.
    pub x: *const X,
    /// Elements of all rows of `x` in a step.
    pub x_stride: usize,
    pub weight: *const W,
    /// Elements from a row of the weight to the next.
    pub stride: usize,
    pub count: usize,
}

/// A piece of work, generic over the vectors.
pub(crate) trait Task {
    type Output;
    /// The instruction sets that it is compiled for. An extension of AVX-512 that is not among them
    /// runs the code for AVX-512.
    const ISAS: &'static [Isa] = BASIC;

    /// Runs it. Implementations are `#[inline(always)]`.
    ///
    /// # Safety
    /// The processor supports the instructions of `S`.
    unsafe fn run<S: Simd>(self) -> Self::Output;
}

/// Runs a task with the instructions of `isa`.
pub(crate) fn run<T: Task>(isa: Isa, task: T) -> T::Output {
    assert!(isa.is_available(), "BUG: the processor has no {isa}");
    // The conditions are constants: where one is false, the task is not compiled.
    // SAFETY: the processor supports the requested instructions.
    unsafe {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 if const { is_for::<T>(Isa::Avx2) } => avx2::enter(task),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512Bf16 if const { is_for::<T>(Isa::Avx512Bf16) } => avx512::enter_bf16(task),
            #[cfg(target_arch = "x86_64")]
            Isa::Amx if const { is_for::<T>(Isa::Amx) } => avx512::enter(task),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 | Isa::Avx512Bf16 | Isa::Amx if const { is_for::<T>(Isa::Avx512) } => {
                avx512::enter(task)
            }
            #[cfg(target_arch = "aarch64")]
            Isa::Neon if const { is_for::<T>(Isa::Neon) } => neon::enter(task),
            Isa::Portable if const { is_for::<T>(Isa::Portable) } => task.run::<Portable>(),
            _ => panic!("BUG: the task is not compiled for {isa}"),
        }
    }
}

const fn is_for<T: Task>(isa: Isa) -> bool {
    let mut at = 0;
    while at < T::ISAS.len() {
        if T::ISAS[at] as u8 == isa as u8 {
            return true;
        }
        at += 1;
    }
    false
}

/// Elements per vector.
pub(crate) fn lanes(isa: Isa) -> usize {
    match isa {
        Isa::Portable | Isa::Avx2 => 8,
        Isa::Avx512 | Isa::Avx512Bf16 | Isa::Amx => 16,
        Isa::Neon => 4,
    }
}

/// Whether dot products of pairs of `bf16` are faster than multiply-adds of `f32`.
pub(crate) fn has_fast_bf16() -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let vendor = std::arch::x86_64::__cpuid(0);
        [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).as_flattened() == b"AuthenticAMD"
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    false
}
