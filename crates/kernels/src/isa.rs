//! Instruction sets.

use crate::{Error, simd};
use std::{fmt, sync::LazyLock};

/// The instruction set of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Isa {
    /// The instructions of every processor.
    Portable,
    /// AVX2 with FMA and F16C.
    Avx2,
    /// AVX-512 F, BW and VL.
    Avx512,
    /// AVX-512 with dot products of pairs of `bf16` (`vdpbf16ps`), which flush subnormal numbers to
    /// 0.
    Avx512Bf16,
    /// AVX-512 with tiles of `bf16` (AMX), whose products flush subnormal numbers to 0.
    Amx,
    /// Advanced SIMD of 64-bit Arm.
    Neon,
}

impl Isa {
    /// Every instruction set.
    pub const ALL: [Isa; 6] =
        [Isa::Portable, Isa::Avx2, Isa::Avx512, Isa::Avx512Bf16, Isa::Amx, Isa::Neon];

    /// The name in `HLOOM_KERNELS_ISA`.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Avx512Bf16 => "avx512bf16",
            Isa::Amx => "amx",
            Isa::Neon => "neon",
        }
    }

    /// Whether this processor supports it.
    pub fn is_available(self) -> bool {
        match self {
            Isa::Portable => true,
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            Isa::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("f16c")
            }
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            Isa::Avx512 => {
                Isa::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            Isa::Avx512Bf16 => Isa::Avx512.is_available() && is_x86_feature_detected!("avx512bf16"),
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            Isa::Amx => Isa::Avx512.is_available() && simd::amx::is_available(),
            #[cfg(all(target_arch = "aarch64", not(miri)))]
            Isa::Neon => true,
            _ => false,
        }
    }

    /// The instruction sets of this processor, best last.
    pub fn available() -> impl Iterator<Item = Isa> {
        Isa::ALL.into_iter().filter(|isa| isa.is_available())
    }

    /// The instruction set of the kernels: the one named by `HLOOM_KERNELS_ISA`, else the fastest
    /// of the processor.
    ///
    /// # Errors
    /// [`Error::Isa`]: the environment variable does not name one that the processor supports.
    pub fn selected() -> Result<Isa, Error> {
        static SELECTED: LazyLock<Result<Isa, Error>> =
            LazyLock::new(|| match std::env::var("HLOOM_KERNELS_ISA") {
                Err(_) => Ok(Isa::fastest()),
                Ok(name) => Isa::available().find(|isa| isa.name() == name).ok_or_else(|| {
                    let available: Vec<_> = Isa::available().map(Isa::name).collect();
                    Error::Isa { name, available: available.join(", ") }
                }),
            });
        SELECTED.clone()
    }

    fn fastest() -> Isa {
        // On Intel's processors `vdpbf16ps` does half the work of two fused multiply-adds in the
        // same time; on AMD's, twice the work.
        let fit = |isa: &Isa| *isa != Isa::Avx512Bf16 || simd::has_fast_bf16();
        Isa::available().filter(fit).last().unwrap_or(Isa::Portable)
    }
}

/// Whether the processor multiplies tiles of `bf16` (AMX).
pub fn has_bf16_tiles() -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        simd::amx::has_tiles()
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    false
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
