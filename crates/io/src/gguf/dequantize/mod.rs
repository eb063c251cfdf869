//! Values of the elements of GGUF files as `f32`, bit for bit those of the reference
//! implementation in Python where it has a type: each formula is evaluated in `f32` in the same
//! order.

mod iq;
mod k_quants;
mod legacy;
mod microscaling;
mod plain;
mod ternary;

use super::GgufType;
use half::f16;
use hloom_graph::{BlockKind, DType};

/// The reason why bytes have no values.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum DequantizeError {
    #[error("{bytes} bytes are not whole blocks of {kind}, which take {} each", kind.block_bytes())]
    Length { kind: GgufType, bytes: usize },
}

hloom_graph::debug_as_display!(DequantizeError);

/// Writes the values of one block; both slices have the block's size.
pub type Decode = fn(&[u8], &mut [f32]);

/// The values of the blocks in `bytes`, in their order; integers and `F64` are rounded to the
/// nearest `f32`.
///
/// # Errors
/// The bytes are not whole blocks.
pub fn dequantize(kind: GgufType, bytes: &[u8]) -> Result<Vec<f32>, DequantizeError> {
    let (decode, size, len) = (decoder(kind), kind.block_bytes(), kind.block_len());
    if !bytes.len().is_multiple_of(size) {
        return Err(DequantizeError::Length { kind, bytes: bytes.len() });
    }
    let mut values = vec![0.0; bytes.len() / size * len];
    for (block, values) in bytes.chunks_exact(size).zip(values.chunks_exact_mut(len)) {
        decode(block, values);
    }
    Ok(values)
}

fn decoder(kind: GgufType) -> Decode {
    match kind {
        GgufType::F32 => plain::f32,
        GgufType::F16 => plain::f16,
        GgufType::BF16 => plain::bf16,
        GgufType::F64 => plain::f64,
        GgufType::I8 => plain::i8,
        GgufType::I16 => plain::i16,
        GgufType::I32 => plain::i32,
        GgufType::I64 => plain::i64,
        GgufType::Q4_0 => legacy::q4_0,
        GgufType::Q4_1 => legacy::q4_1,
        GgufType::Q5_0 => legacy::q5_0,
        GgufType::Q5_1 => legacy::q5_1,
        GgufType::Q8_0 => legacy::q8_0,
        GgufType::Q2_K => k_quants::q2_k,
        GgufType::Q3_K => k_quants::q3_k,
        GgufType::Q4_K => k_quants::q4_k,
        GgufType::Q5_K => k_quants::q5_k,
        GgufType::Q6_K => k_quants::q6_k,
        GgufType::IQ1_S => iq::iq1_s,
        GgufType::IQ1_M => iq::iq1_m,
        GgufType::IQ2_XXS => iq::iq2_xxs,
        GgufType::IQ2_XS => iq::iq2_xs,
        GgufType::IQ2_S => iq::iq2_s,
        GgufType::IQ3_XXS => iq::iq3_xxs,
        GgufType::IQ3_S => iq::iq3_s,
        GgufType::IQ4_NL => iq::iq4_nl,
        GgufType::IQ4_XS => iq::iq4_xs,
        GgufType::TQ1_0 => ternary::tq1_0,
        GgufType::TQ2_0 => ternary::tq2_0,
        GgufType::MXFP4 => microscaling::mxfp4,
        GgufType::NVFP4 => microscaling::nvfp4,
        GgufType::Q8_1 => legacy::q8_1,
        GgufType::Q8_K => k_quants::q8_k,
        GgufType::Q1_0 => legacy::q1_0,
        GgufType::Q2_0 => legacy::q2_0,
    }
}

/// The decoder of one block of a kind, if there is one.
pub fn block_decoder(kind: BlockKind) -> Option<Decode> {
    GgufType::from_dtype(DType::Block(kind)).map(decoder)
}

/// The `f16` at a byte of a block.
fn half(block: &[u8], at: usize) -> f32 {
    f16::from_bits(word(block, at)).to_f32()
}

/// The two bytes at a place in a block, little-endian.
fn word(block: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([block[at], block[at + 1]])
}

/// The four bytes at a place in a block, little-endian.
fn double_word(block: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
}

/// The low and the high half of the byte that holds the half with an index: first the low one.
fn nibble(bytes: &[u8], index: usize) -> u8 {
    bytes[index / 2] >> (4 * (index % 2)) & 0xf
}
