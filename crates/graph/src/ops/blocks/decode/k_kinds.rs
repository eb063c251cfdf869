//! Blocks of 256 numbers in groups of 16 or 32, with a scale for each group that is itself
//! quantised.

use super::block_bytes::{BlockBytes, grouped, number};
use crate::{DType, Tensor, concatenate};

/// The products of the numbers of each group, `[.., 256]`, with its scale, `[.., groups]`.
#[track_caller]
fn scaled(numbers: Tensor, scales: Tensor) -> Tensor {
    let groups = scales.size(2);
    grouped(numbers, groups) * grouped(scales, groups)
}

#[track_caller]
pub(super) fn q2_k(blocks: BlockBytes) -> Tensor {
    let codes = blocks.bytes(0..16);
    let scales = number(codes & 15) * blocks.half(80);
    let minima = number(codes.shift_right_logical(4)) * blocks.half(82);
    scaled(number(blocks.fields(16..80, 32, 2)), scales) - grouped(minima, 16)
}

#[track_caller]
pub(super) fn q3_k(blocks: BlockBytes) -> Tensor {
    let codes = blocks.fields(96..104, 8, 4) | blocks.fields(104..108, 4, 2).shift_left(4);
    let scales = (number(codes) - 32.0) * blocks.half(108);
    let numbers = blocks.fields(32..96, 32, 2) | blocks.fields(0..32, 32, 1).shift_left(2);
    scaled(number(numbers) - 4.0, scales)
}

/// The numbers of each group with its scale and its minimum, of 6 bits each: the scales of the
/// first four groups, their minima, and four bits of the others, whose upper bits are those that
/// the first ones leave.
#[track_caller]
fn with_minima(blocks: BlockBytes, numbers: Tensor) -> Tensor {
    let [scale, min, both] = [4, 8, 12].map(|at| blocks.bytes(at..at + 4));
    let upper = |first: Tensor| first.shift_right_logical(2) & 0x30;
    let scales = concatenate(&[scale & 0x3f, both & 15 | upper(scale)], 2);
    let minima = concatenate(&[min & 0x3f, both.shift_right_logical(4) | upper(min)], 2);
    let minima = number(minima) * blocks.half(2);
    scaled(number(numbers), number(scales) * blocks.half(0)) - grouped(minima, 8)
}

#[track_caller]
pub(super) fn q4_k(blocks: BlockBytes) -> Tensor {
    with_minima(blocks, blocks.fields(16..144, 32, 4))
}

#[track_caller]
pub(super) fn q5_k(blocks: BlockBytes) -> Tensor {
    let high = blocks.fields(16..48, 32, 1).shift_left(4);
    with_minima(blocks, blocks.fields(48..176, 32, 4) | high)
}

#[track_caller]
pub(super) fn q6_k(blocks: BlockBytes) -> Tensor {
    let scales = blocks.signed(192..208) * blocks.half(208);
    let high = blocks.fields(128..192, 32, 2).shift_left(4);
    scaled(number(blocks.fields(0..128, 64, 4) | high) - 32.0, scales)
}

/// The sums of groups after the numbers are for products with minima.
#[track_caller]
pub(super) fn q8_k(blocks: BlockBytes) -> Tensor {
    blocks.signed(4..260) * blocks.double_words(0..4).bitcast(DType::F32)
}
