//! Blocks of numbers of one width with one scale, and a minimum in the kinds `_1` of 4 and 5 bits.

use super::block_bytes::{BlockBytes, number};
use crate::Tensor;

#[track_caller]
pub(super) fn q4_0(blocks: BlockBytes) -> Tensor {
    (number(blocks.fields(2..18, 16, 4)) - 8.0) * blocks.half(0)
}

#[track_caller]
pub(super) fn q4_1(blocks: BlockBytes) -> Tensor {
    number(blocks.fields(4..20, 16, 4)) * blocks.half(0) + blocks.half(2)
}

/// Numbers of 5 bits: the low four in 16 bytes, the fifth in the 4 bytes before them.
#[track_caller]
fn five(blocks: BlockBytes, at: usize) -> Tensor {
    let high = blocks.fields(at..at + 4, 1, 1);
    number(blocks.fields(at + 4..at + 20, 16, 4) | high.shift_left(4))
}

#[track_caller]
pub(super) fn q5_0(blocks: BlockBytes) -> Tensor {
    (five(blocks, 2) - 16.0) * blocks.half(0)
}

#[track_caller]
pub(super) fn q5_1(blocks: BlockBytes) -> Tensor {
    five(blocks, 4) * blocks.half(0) + blocks.half(2)
}

#[track_caller]
pub(super) fn q8_0(blocks: BlockBytes) -> Tensor {
    blocks.signed(2..34) * blocks.half(0)
}

/// The second of the two scales is the sum of the values, for products with minima.
#[track_caller]
pub(super) fn q8_1(blocks: BlockBytes) -> Tensor {
    blocks.signed(4..36) * blocks.half(0)
}

/// A set bit is the scale, another one its negative.
#[track_caller]
pub(super) fn q1_0(blocks: BlockBytes) -> Tensor {
    (number(blocks.fields(2..18, 1, 1)) * 2.0 - 1.0) * blocks.half(0)
}

#[track_caller]
pub(super) fn q2_0(blocks: BlockBytes) -> Tensor {
    (number(blocks.fields(2..18, 1, 2)) - 1.0) * blocks.half(0)
}
