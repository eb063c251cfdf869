//! Element types that kernels read and write.

use crate::tile::Stored;
use half::{bf16, f16};
use std::fmt::Debug;

/// An element of an operand or of a result: `f32`, `bf16` or `f16`. Sums are always `f32`.
#[allow(private_bounds, reason = "it keeps the set of types closed")]
pub trait Element: Stored + Copy + Send + Sync + Debug + PartialEq + 'static {
    /// The type's name.
    const NAME: &'static str;
    /// 0.
    const ZERO: Self;

    /// The same number.
    fn to_f32(self) -> f32;

    /// The nearest number of this type; ties to even.
    fn from_f32(value: f32) -> Self;
}

impl Element for f32 {
    const NAME: &'static str = "f32";
    const ZERO: f32 = 0.0;

    fn to_f32(self) -> f32 {
        self
    }

    fn from_f32(value: f32) -> f32 {
        value
    }
}

impl Element for bf16 {
    const NAME: &'static str = "bf16";
    const ZERO: bf16 = bf16::ZERO;

    fn to_f32(self) -> f32 {
        // Without the NaN check of `bf16::to_f32`, which prevents vectorisation.
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }

    fn from_f32(value: f32) -> bf16 {
        // Without the branches of `bf16::from_f32`, for the same reason.
        let bits = value.to_bits();
        let rounded = (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16;
        let quiet = (bits >> 16) as u16 | 0x40;
        bf16::from_bits(if value.is_nan() { quiet } else { rounded })
    }
}

impl Element for f16 {
    const NAME: &'static str = "f16";
    const ZERO: f16 = f16::ZERO;

    // Not inlined: kernels convert whole vectors, and each copy contains the conversion without
    // instructions too.
    #[inline(never)]
    fn to_f32(self) -> f32 {
        f16::to_f32(self)
    }

    #[inline(never)]
    fn from_f32(value: f32) -> f16 {
        f16::from_f32(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bf16_is_rounded_as_by_half() {
        let step = if cfg!(miri) { 97 } else { 1 };
        for high in (0..=u16::MAX).step_by(step) {
            for low in [0, 1, 0x7fff, 0x8000, 0x8001, 0xffff] {
                let value = f32::from_bits(u32::from(high) << 16 | low);
                let [found, expected] = [<bf16 as Element>::from_f32(value), bf16::from_f32(value)];
                assert_eq!(found.to_bits(), expected.to_bits(), "{value:e}");
            }
        }
    }
}
