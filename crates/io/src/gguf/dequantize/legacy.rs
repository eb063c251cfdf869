//! Blocks of numbers of one width with one scale, and a minimum in the types `_1` of 4 and 5 bits.

use super::{double_word, half};

/// The 32 values of 4 bits in 16 bytes: the low halves, then the high ones.
fn low(bytes: &[u8], index: usize) -> u8 {
    bytes[index % 16] >> (4 * (index / 16)) & 0xf
}

/// The 32 values of 5 bits: the low four as by [`low`], the fifth in `high`.
fn five(bytes: &[u8], high: u32, index: usize) -> u8 {
    low(bytes, index) | ((high >> index & 1) as u8) << 4
}

pub fn q4_0(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (i, value) in out.iter_mut().enumerate() {
        *value = d * f32::from(low(&block[2..], i) as i8 - 8);
    }
}

pub fn q4_1(block: &[u8], out: &mut [f32]) {
    let (d, min) = (half(block, 0), half(block, 2));
    for (i, value) in out.iter_mut().enumerate() {
        *value = d * f32::from(low(&block[4..], i)) + min;
    }
}

pub fn q5_0(block: &[u8], out: &mut [f32]) {
    let (d, high) = (half(block, 0), double_word(block, 2));
    for (i, value) in out.iter_mut().enumerate() {
        *value = d * f32::from(five(&block[6..], high, i) as i8 - 16);
    }
}

pub fn q5_1(block: &[u8], out: &mut [f32]) {
    let (d, min, high) = (half(block, 0), half(block, 2), double_word(block, 4));
    for (i, value) in out.iter_mut().enumerate() {
        *value = d * f32::from(five(&block[8..], high, i)) + min;
    }
}

pub fn q8_0(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (value, &byte) in out.iter_mut().zip(&block[2..]) {
        *value = d * f32::from(byte.cast_signed());
    }
}

/// The second of the two scales is the sum of the values, for products with minima.
pub fn q8_1(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (value, &byte) in out.iter_mut().zip(&block[4..]) {
        *value = d * f32::from(byte.cast_signed());
    }
}

/// A set bit is the scale, another one its negative.
pub fn q1_0(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (i, value) in out.iter_mut().enumerate() {
        *value = if block[2 + i / 8] >> (i % 8) & 1 == 1 { d } else { -d };
    }
}

pub fn q2_0(block: &[u8], out: &mut [f32]) {
    let d = half(block, 0);
    for (i, value) in out.iter_mut().enumerate() {
        let code = block[2 + i / 4] >> (2 * (i % 4)) & 3;
        *value = d * f32::from(code as i8 - 1);
    }
}
