//! Numbers in the bytes of blocks.

use crate::{DType, Tensor};
use std::ops::Range;

/// Blocks of one kind in rows, `u8[rows, blocks, bytes]`.
///
/// The results of its functions have the same first two axes.
#[derive(Clone, Copy)]
pub(super) struct BlockBytes(Tensor);

impl BlockBytes {
    pub fn new(blocks: Tensor) -> BlockBytes {
        BlockBytes(blocks)
    }

    /// The bytes at these places of each block.
    #[track_caller]
    pub fn bytes(self, places: Range<usize>) -> Tensor {
        self.0.slice(2, places.start as isize..places.end as isize)
    }

    /// The `f16` at a place of each block, `f32[.., 1]`.
    #[track_caller]
    pub fn half(self, at: usize) -> Tensor {
        half(self.words(at..at + 2))
    }

    /// The little-endian words of 16 bits in these bytes.
    #[track_caller]
    pub fn words(self, places: Range<usize>) -> Tensor {
        joined(self.bytes(places), DType::U16)
    }

    /// The little-endian words of 32 bits in these bytes.
    #[track_caller]
    pub fn double_words(self, places: Range<usize>) -> Tensor {
        joined(self.bytes(places), DType::U32)
    }

    /// The signed bytes at these places as numbers, `f32[..]`.
    #[track_caller]
    pub fn signed(self, places: Range<usize>) -> Tensor {
        number(self.bytes(places).bitcast(DType::I8))
    }

    /// The fields of bytes at these places, as by [`fields`].
    #[track_caller]
    pub fn fields(self, places: Range<usize>, size: usize, bits: usize) -> Tensor {
        fields(self.bytes(places), size, bits)
    }
}

/// The `f32` of the `f16` whose bits are `u16[..]`.
#[track_caller]
pub(super) fn half(words: Tensor) -> Tensor {
    number(words.bitcast(DType::F16))
}

/// The `f32` of small integers or shorter floats.
#[track_caller]
pub(super) fn number(x: Tensor) -> Tensor {
    x.convert(DType::F32)
}

/// The fields of a number of bits in bytes, `u8[rows, blocks, n]`: of every `size` bytes first
/// their lowest fields, then the next ones.
#[track_caller]
pub(super) fn fields(bytes: Tensor, size: usize, bits: usize) -> Tensor {
    let [rows, blocks, n] = [0, 1, 2].map(|axis| bytes.size(axis));
    let each = 8 / bits;
    let shifts = Tensor::iota(DType::U8, [each, 1], 0) * bits;
    let parts = bytes.reshape([rows, blocks, n / size, 1, size]);
    let fields = parts.shift_right_logical(shifts) & ((1 << bits) - 1);
    fields.reshape([rows, blocks, n * each])
}

/// The elements of each block in groups, `[rows, blocks, count, size]`.
#[track_caller]
pub(super) fn grouped(x: Tensor, count: usize) -> Tensor {
    let [rows, blocks, n] = [0, 1, 2].map(|axis| x.size(axis));
    x.reshape([rows, blocks, count, n / count])
}

/// Little-endian words of an integer type in bytes, `u8[rows, blocks, n]`.
#[track_caller]
fn joined(bytes: Tensor, dtype: DType) -> Tensor {
    let [rows, blocks, n] = [0, 1, 2].map(|axis| bytes.size(axis));
    let words = grouped(bytes, n / dtype.size()).convert(dtype);
    let byte = |at: usize| {
        let byte = words.slice(3, at as isize..at as isize + 1);
        if at == 0 { byte } else { byte.shift_left(8 * at) }
    };
    let word = (1..dtype.size()).fold(byte(0), |word, at| word | byte(at));
    word.reshape([rows, blocks, n / dtype.size()])
}
