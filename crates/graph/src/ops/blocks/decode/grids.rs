//! Blocks of indices of vectors of a grid.

use super::block_bytes::{BlockBytes, fields, grouped, half, number};
use crate::{DType, Tensor, iq_grid::IqGrid};

/// The offset that is added to or subtracted from the elements of the grid of `IQ1`.
const DELTA: f32 = 0.125;

/// The vectors with these indices, `[rows, blocks, n]`, as `f32[rows, blocks, n, size]`.
#[track_caller]
fn vectors(grid: IqGrid, indices: Tensor) -> Tensor {
    number(Tensor::constant(&grid.values(), grid.sizes()).take(indices, 0))
}

/// Bits of bytes as signs, -1 where a bit is set and 1 elsewhere.
#[track_caller]
fn signs(bytes: Tensor) -> Tensor {
    1.0 - number(fields(bytes, 1, 1)) * 2.0
}

/// The eight signs that seven bits stand for: the eighth makes their number even.
#[track_caller]
fn even_signs(seven: Tensor) -> Tensor {
    signs(seven | seven.population_count().shift_left(7))
}

/// The words, `[rows, blocks, n]`, shifted right by each of `count` multiples of `bits`, and
/// joined: `[rows, blocks, n * count]`.
#[track_caller]
fn shifted(words: Tensor, count: usize, bits: usize) -> Tensor {
    let [rows, blocks, n] = [0, 1, 2].map(|axis| words.size(axis));
    let shifts = Tensor::iota(words.dtype(), [count], 0) * bits;
    let each = words.reshape([rows, blocks, n, 1]).shift_right_logical(shifts);
    each.reshape([rows, blocks, n * count])
}

/// Indices of more than 8 bits: low bytes, and the higher bits.
#[track_caller]
fn indices(low: Tensor, high: Tensor) -> Tensor {
    low.convert(DType::U16) | high.convert(DType::U16).shift_left(8)
}

/// The products of vectors, `[rows, blocks, n, size]`, with signs and with the scales of groups.
#[track_caller]
fn signed_products(vectors: Tensor, signs: Tensor, scales: Tensor) -> Tensor {
    let [rows, blocks, n, size] = [0, 1, 2, 3].map(|axis| vectors.size(axis));
    let groups = scales.size(2);
    let flat = vectors.reshape([rows, blocks, n * size]);
    grouped(flat, groups) * grouped(scales, groups) * grouped(signs, groups)
}

/// The scales of groups in steps of a power of two, from the `f16` of each block and 4 bits.
#[track_caller]
fn stepped(blocks: BlockBytes, codes: Tensor, step: f32) -> Tensor {
    blocks.half(0) * (number(codes) + 0.5) * step
}

#[track_caller]
pub(super) fn iq2_xxs(blocks: BlockBytes) -> Tensor {
    let bytes = grouped(blocks.bytes(2..66), 8);
    let [rows, in_row] = [0, 1].map(|axis| bytes.size(axis));
    let indices = bytes.slice(3, ..4).reshape([rows, in_row, 32]);
    let rest = blocks.double_words(2..66).reshape([rows, in_row, 8, 2]);
    let rest = rest.slice(3, 1..).reshape([rows, in_row, 8]);
    let scales = stepped(blocks, rest.shift_right_logical(28), 0.25);
    let signs = even_signs((shifted(rest, 4, 7) & 0x7f).convert(DType::U8));
    signed_products(vectors(IqGrid::IQ2_XXS, indices), signs, scales)
}

#[track_caller]
pub(super) fn iq2_xs(blocks: BlockBytes) -> Tensor {
    let codes = blocks.words(2..66);
    let scales = stepped(blocks, blocks.fields(66..74, 1, 4), 0.25);
    let signs = even_signs(codes.shift_right_logical(9).convert(DType::U8));
    signed_products(vectors(IqGrid::IQ2_XS, codes & 511), signs, scales)
}

#[track_caller]
pub(super) fn iq2_s(blocks: BlockBytes) -> Tensor {
    let indices = indices(blocks.bytes(2..34), blocks.fields(66..74, 1, 2));
    let scales = stepped(blocks, blocks.fields(74..82, 1, 4), 0.25);
    signed_products(vectors(IqGrid::IQ2_S, indices), signs(blocks.bytes(34..66)), scales)
}

#[track_caller]
pub(super) fn iq3_xxs(blocks: BlockBytes) -> Tensor {
    let rest = blocks.double_words(66..98);
    let scales = stepped(blocks, rest.shift_right_logical(28), 0.5);
    let signs = even_signs((shifted(rest, 4, 7) & 0x7f).convert(DType::U8));
    signed_products(vectors(IqGrid::IQ3_XXS, blocks.bytes(2..66)), signs, scales)
}

#[track_caller]
pub(super) fn iq3_s(blocks: BlockBytes) -> Tensor {
    let indices = indices(blocks.bytes(2..66), blocks.fields(66..74, 1, 1));
    let scales = blocks.half(0) * number(blocks.fields(106..110, 1, 4) * 2 + 1);
    signed_products(vectors(IqGrid::IQ3_S, indices), signs(blocks.bytes(74..106)), scales)
}

/// The vectors of `IQ1`, with the offset that the bits `negative` make negative, times the scales
/// of groups.
#[track_caller]
fn offset_products(indices: Tensor, negative: Tensor, scales: Tensor) -> Tensor {
    let [rows, blocks, groups] = [0, 1, 2].map(|axis| scales.size(axis));
    let [each, in_group] = [negative.size(2) / groups, 32 / negative.size(2)];
    let deltas = (1.0 - number(negative) * 2.0) * DELTA;
    let deltas = deltas.reshape([rows, blocks, groups, each, 1]);
    let vectors = vectors(IqGrid::IQ1, indices);
    let vectors = vectors.reshape([rows, blocks, groups, each, in_group * 8]);
    (vectors + deltas) * scales.reshape([rows, blocks, groups, 1, 1])
}

#[track_caller]
pub(super) fn iq1_s(blocks: BlockBytes) -> Tensor {
    let rest = blocks.words(34..50);
    let indices = indices(blocks.bytes(2..34), shifted(rest, 4, 3) & 7);
    let scales = blocks.half(0) * number((rest.shift_right_logical(12) & 7) * 2 + 1);
    offset_products(indices, rest.shift_right_logical(15), scales)
}

#[track_caller]
pub(super) fn iq1_m(blocks: BlockBytes) -> Tensor {
    let words = blocks.words(48..56);
    // The four highest bits of each word are a part of the block's scale.
    let part = |at: usize| {
        let word = words.slice(2, at as isize..at as isize + 1);
        (word & 0xf000).shift_right_logical(12 - 4 * at)
    };
    let d = half((1..4).fold(part(0), |bits, at| bits | part(at)));
    let codes = shifted(words, 4, 3) & 7;
    let rest = blocks.fields(32..48, 1, 4);
    let indices = indices(blocks.bytes(0..32), rest & 7);
    offset_products(indices, rest.shift_right_logical(3), d * number(codes * 2 + 1))
}
