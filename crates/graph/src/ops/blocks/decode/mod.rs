//! The values of quantised blocks by ops on their bytes.
//!
//! The products of scales and numbers are exact in `f32`: both have few bits. Each value is rounded
//! at most once, where a minimum is added, so that it has the same bits whether or not a compiler
//! contracts a product and a sum.

mod block_bytes;
mod codebooks;
mod grids;
mod k_kinds;
mod legacy;
mod ternary;

use crate::{BlockKind, Tensor};
use block_bytes::BlockBytes;

/// The values of rows of blocks, `u8[rows, bytes]`, as `f32[rows, k]`.
#[track_caller]
pub(super) fn decode(rows: Tensor, kind: BlockKind) -> Tensor {
    let (count, row) = (rows.size(0), rows.size(1));
    let in_row = row / kind.block_bytes();
    let blocks = BlockBytes::new(rows.reshape([count, in_row, kind.block_bytes()]));
    let values = match kind {
        BlockKind::Q4_0 => legacy::q4_0(blocks),
        BlockKind::Q4_1 => legacy::q4_1(blocks),
        BlockKind::Q5_0 => legacy::q5_0(blocks),
        BlockKind::Q5_1 => legacy::q5_1(blocks),
        BlockKind::Q8_0 => legacy::q8_0(blocks),
        BlockKind::Q8_1 => legacy::q8_1(blocks),
        BlockKind::Q1_0 => legacy::q1_0(blocks),
        BlockKind::Q2_0 => legacy::q2_0(blocks),
        BlockKind::Q2_K => k_kinds::q2_k(blocks),
        BlockKind::Q3_K => k_kinds::q3_k(blocks),
        BlockKind::Q4_K => k_kinds::q4_k(blocks),
        BlockKind::Q5_K => k_kinds::q5_k(blocks),
        BlockKind::Q6_K => k_kinds::q6_k(blocks),
        BlockKind::Q8_K => k_kinds::q8_k(blocks),
        BlockKind::IQ4_NL => codebooks::iq4_nl(blocks),
        BlockKind::IQ4_XS => codebooks::iq4_xs(blocks),
        BlockKind::MXFP4 => codebooks::mxfp4(blocks),
        BlockKind::NVFP4 => codebooks::nvfp4(blocks),
        BlockKind::TQ1_0 => ternary::tq1_0(blocks),
        BlockKind::TQ2_0 => ternary::tq2_0(blocks),
        BlockKind::IQ1_S => grids::iq1_s(blocks),
        BlockKind::IQ1_M => grids::iq1_m(blocks),
        BlockKind::IQ2_XXS => grids::iq2_xxs(blocks),
        BlockKind::IQ2_XS => grids::iq2_xs(blocks),
        BlockKind::IQ2_S => grids::iq2_s(blocks),
        BlockKind::IQ3_XXS => grids::iq3_xxs(blocks),
        BlockKind::IQ3_S => grids::iq3_s(blocks),
    };
    values.reshape([count, in_row * kind.block_len()])
}
