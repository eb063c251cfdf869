//! Blocks of numbers of 4 bits that select one of 16 levels.

use super::block_bytes::{BlockBytes, grouped, half, number};
use crate::{DType, Tensor};

/// The levels of `IQ4_NL` and `IQ4_XS`.
const LEVELS: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/// Twice the values of E2M1; scales are halved instead.
const DOUBLED: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// The values of `table` at the places `codes`.
#[track_caller]
fn levels(table: &[f32], codes: Tensor) -> Tensor {
    Tensor::constant(table, [table.len()]).take(codes, 0)
}

#[track_caller]
pub(super) fn iq4_nl(blocks: BlockBytes) -> Tensor {
    levels(&LEVELS.map(f32::from), blocks.fields(2..18, 16, 4)) * blocks.half(0)
}

#[track_caller]
pub(super) fn iq4_xs(blocks: BlockBytes) -> Tensor {
    let codes = blocks.fields(4..8, 1, 4) | blocks.fields(2..4, 1, 2).shift_left(4);
    let scales = (number(codes) - 32.0) * blocks.half(0);
    let values = levels(&LEVELS.map(f32::from), blocks.fields(8..136, 16, 4));
    grouped(values, 8) * grouped(scales, 8)
}

/// Scales are powers of two with a biased exponent of 8 bits. Values with the two smallest ones may
/// be subnormal, which devices flush to zero in products: these are in the table.
#[track_caller]
pub(super) fn mxfp4(blocks: BlockBytes) -> Tensor {
    let mut table = [0.0; 48];
    for (at, value) in table.iter_mut().enumerate() {
        let scale = [f32::from_bits(1 << 21), f32::from_bits(1 << 22), 1.0][at / 16];
        *value = f32::from(DOUBLED[at % 16]) * scale;
    }
    let exponents = blocks.bytes(0..1);
    let codes = blocks.fields(1..17, 16, 4) | exponents.minimum(2).shift_left(4);
    let values = levels(&table, codes);
    let bits = (exponents.convert(DType::U32) - 1).shift_left(23);
    exponents.lt(2).select(values, values * bits.bitcast(DType::F32))
}

/// Scales are floats with 4 bits of exponent and 3 of mantissa; the sign is ignored, and the code
/// for NaN without it is zero.
#[track_caller]
pub(super) fn nvfp4(blocks: BlockBytes) -> Tensor {
    let codes = blocks.bytes(0..4);
    // An `f16` has the same bits with a bias that is larger by 8.
    let scales = half((codes & 127).convert(DType::U16).shift_left(7)) * 128.0;
    let scales = codes.eq(127).select(scales.full_like(0), scales);
    let values = levels(&DOUBLED.map(f32::from), blocks.fields(4..36, 8, 4));
    grouped(values, 4) * grouped(scales, 4)
}
