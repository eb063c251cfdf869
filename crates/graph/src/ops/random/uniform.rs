//! Random bits, and uniformly distributed floats.

use super::{
    Key,
    threefry::{Words, hash_bits, random_bits},
};
use crate::{DType, IntoDims, Operand, Tensor, trace::function_scope};

/// The construction of a float from random bits.
struct Format {
    /// The type of the random bits.
    drawn: DType,
    /// The unsigned type of the same width.
    word: DType,
    /// The number of bits after the point.
    fraction: u32,
    /// The bits of the number 1.
    one: u64,
}

fn format(dtype: DType) -> Format {
    match dtype {
        // 8 random bits are enough for a fraction of 7 bits.
        DType::BF16 => Format { drawn: DType::U8, word: DType::U16, fraction: 7, one: 0x3F80 },
        DType::F16 => Format { drawn: DType::U16, word: DType::U16, fraction: 10, one: 0x3C00 },
        DType::F64 => {
            Format { drawn: DType::U64, word: DType::U64, fraction: 52, one: 0x3FF0_0000_0000_0000 }
        }
        _ => Format { drawn: DType::U32, word: DType::U32, fraction: 23, one: 0x3F80_0000 },
    }
}

#[hloom_derive::tensor_methods(uniform)]
impl Key {
    /// Random bits: `u8`, `u16`, `u32` or `u64`, all values equally likely.
    #[track_caller]
    pub fn bits(self, dtype: DType, dims: impl IntoDims) -> Tensor {
        function_scope("bits", || {
            let is_legal = dtype.is_unsigned_int() && dtype.bits() >= 8;
            let dims = self.dims_of("bits", dtype, (is_legal, "u8, u16, u32 or u64"), dims);
            dims.map_or_else(Tensor::poisoned, |dims| random_bits(self.0, dtype, dims))
        })
    }

    /// Floats from 0, included, to 1, excluded: multiples of 2^-23 in `f32`, 2^-52 in `f64`, 2^-10
    /// in `f16` and 2^-7 in `bf16`.
    #[track_caller]
    pub fn uniform(self, dtype: DType, dims: impl IntoDims) -> Tensor {
        self.draw("uniform", dtype, dims, |dims| {
            unit(random_bits(self.0, format(dtype).drawn, dims), dtype)
        })
    }

    /// Floats from `low`, included, to `high`, excluded except by rounding; `low` where it is not
    /// below `high`. The limits are numbers, or tensors that broadcast to `dims`.
    #[track_caller]
    pub fn uniform_between(
        self,
        dtype: DType,
        dims: impl IntoDims,
        low: impl Operand,
        high: impl Operand,
    ) -> Tensor {
        self.draw("uniform_between", dtype, dims, |dims| {
            let unit = unit(random_bits(self.0, format(dtype).drawn, dims), dtype);
            let (low, high) = (fitted(low, unit), fitted(high, unit));
            low.maximum(unit * (high - low) + low)
        })
    }
}

/// The type in which numbers of a distribution are drawn: types below 32 bits have so few different
/// uniform numbers that functions of them would be coarse and biased, and lack tails.
pub(super) fn drawn_in(dtype: DType) -> DType {
    if dtype == DType::F64 { dtype } else { DType::F32 }
}

/// A parameter of a distribution, for each of the elements.
#[track_caller]
pub(super) fn fitted(parameter: impl Operand, elements: Tensor) -> Tensor {
    parameter.like(elements).broadcast_to(elements.shape())
}

/// Floats from 0 to 1, excluded, from hashes.
#[track_caller]
pub(super) fn unit_of(hashes: Words, dtype: DType) -> Tensor {
    unit(hash_bits(hashes, format(dtype).drawn), dtype)
}

/// Floats from 0 to 1, excluded, from random bits, which become the fraction bits of a number from
/// 1 to 2.
#[track_caller]
fn unit(bits: Tensor, dtype: DType) -> Tensor {
    let Format { drawn, word, fraction, one } = format(dtype);
    let fraction = bits.convert(word).shift_right_logical(drawn.bits() as u32 - fraction);
    (fraction | one).bitcast(dtype) - 1
}
