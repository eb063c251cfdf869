//! Blocks of 256 values of -1, 0 and 1 with one scale.

use super::block_bytes::{BlockBytes, number};
use crate::{DType, Tensor, concatenate};

/// The digits in base 3 of bytes, which are fractions of 256: multiplying by a power of 3 drops the
/// digits before one, and 3 more moves it in front of the point. First come the first digits.
#[track_caller]
fn digits(bytes: Tensor, count: usize) -> Tensor {
    let [rows, blocks, n] = [0, 1, 2].map(|axis| bytes.size(axis));
    let powers = Tensor::constant(&[1u8, 3, 9, 27, 81][..count], [count, 1]);
    let rest = (bytes.reshape([rows, blocks, 1, n]) * powers).convert(DType::U16);
    (rest * 3).shift_right_logical(8).reshape([rows, blocks, count * n])
}

#[track_caller]
pub(super) fn tq1_0(blocks: BlockBytes) -> Tensor {
    let parts = [(0..32, 5), (32..48, 5), (48..52, 4)];
    let parts = parts.map(|(places, count)| digits(blocks.bytes(places), count));
    (number(concatenate(&parts, 2)) - 1.0) * blocks.half(52)
}

#[track_caller]
pub(super) fn tq2_0(blocks: BlockBytes) -> Tensor {
    (number(blocks.fields(0..64, 32, 2)) - 1.0) * blocks.half(64)
}
