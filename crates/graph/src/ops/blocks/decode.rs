//! The values of quantised blocks by ops on their bytes.

use crate::{BlockKind, DType, Tensor, record_error, trace::Rule};

/// Returns an error if ops do not decode a kind.
pub(super) fn check(kind: BlockKind) -> Rule<()> {
    if kind.is_computed() {
        return Ok(());
    }
    let known = BlockKind::all().filter(|kind| kind.is_computed()).map(BlockKind::name);
    let known = known.collect::<Vec<_>>().join(", ");
    Err(format!("programs do not decode {kind}, only {known}; load the tensor as a float type")
        .into())
}

/// The values of rows of blocks, `u8[rows, bytes]`, as `f32[rows, k]`. The kind is
/// one that programs compute with.
#[track_caller]
pub(super) fn decode(rows: Tensor, kind: BlockKind) -> Tensor {
    let (count, row) = (rows.size(0), rows.size(1));
    let in_row = row / kind.block_bytes();
    let blocks = rows.reshape([count, in_row, kind.block_bytes()]);
    let bytes = |from: usize, to: usize| blocks.slice(2, from as isize..to as isize);
    let half = |at: usize| {
        let [low, high] = [at, at + 1].map(|at| bytes(at, at + 1).convert(DType::U16));
        (low | high.shift_left(8)).bitcast(DType::F16).convert(DType::F32)
    };
    let values = match kind {
        BlockKind::Q4_0 => (halves(bytes(2, 18)) - 8.0) * half(0),
        BlockKind::Q4_1 => halves(bytes(4, 20)) * half(0) + half(2),
        BlockKind::Q8_0 => bytes(2, 34).bitcast(DType::I8).convert(DType::F32) * half(0),
        other => return record_error("dequantize", &[rows], format!("{other} is not decoded")),
    };
    values.reshape([count, in_row * kind.block_len()])
}

/// The low halves of bytes, `[.., 16]`, and then their high ones, as numbers: `f32[.., 32]`.
#[track_caller]
fn halves(bytes: Tensor) -> Tensor {
    let (count, blocks, size) = (bytes.size(0), bytes.size(1), bytes.size(2));
    let pairs = [count, blocks, 2, size];
    let shifts = Tensor::iota(DType::U8, pairs, 2) * 4;
    let halves = bytes.insert_axis(2, "_").broadcast_to(pairs).shift_right_logical(shifts) & 15;
    halves.convert(DType::F32).reshape([count, blocks, 2 * size])
}
