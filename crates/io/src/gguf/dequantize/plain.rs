//! Types that store each number by itself.

use half::{bf16, f16};

/// The bytes of the one number of a block.
fn number<const N: usize>(block: &[u8]) -> [u8; N] {
    std::array::from_fn(|i| block[i])
}

pub fn f32(block: &[u8], out: &mut [f32]) {
    out[0] = f32::from_le_bytes(number(block));
}

pub fn f16(block: &[u8], out: &mut [f32]) {
    out[0] = f16::from_le_bytes(number(block)).to_f32();
}

pub fn bf16(block: &[u8], out: &mut [f32]) {
    out[0] = bf16::from_le_bytes(number(block)).to_f32();
}

pub fn f64(block: &[u8], out: &mut [f32]) {
    out[0] = f64::from_le_bytes(number(block)) as f32;
}

pub fn i8(block: &[u8], out: &mut [f32]) {
    out[0] = i8::from_le_bytes(number(block)).into();
}

pub fn i16(block: &[u8], out: &mut [f32]) {
    out[0] = i16::from_le_bytes(number(block)).into();
}

pub fn i32(block: &[u8], out: &mut [f32]) {
    out[0] = i32::from_le_bytes(number(block)) as f32;
}

pub fn i64(block: &[u8], out: &mut [f32]) {
    out[0] = i64::from_le_bytes(number(block)) as f32;
}
