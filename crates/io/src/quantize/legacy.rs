//! Blocks of 32 values with one scale, and a minimum in the kinds `_1`.

use super::{inverse, put_half};

/// Writes 32 values of four bits: 16 in the low halves of bytes, then 16 in the high ones.
fn put_low(bytes: &mut [u8], values: &[u8; 32]) {
    for (at, byte) in bytes.iter_mut().enumerate().take(16) {
        *byte = values[at] & 15 | values[at + 16] << 4;
    }
}

/// Writes the fifth bits of 32 values.
fn put_high(bytes: &mut [u8], values: &[u8; 32]) {
    let bits = values.iter().enumerate().map(|(at, value)| u32::from(value >> 4 & 1) << at);
    bytes[..4].copy_from_slice(&bits.sum::<u32>().to_le_bytes());
}

/// The scale of symmetric values and the values: the one of the largest size is `-half`, which
/// becomes 0.
fn symmetric(x: &[f32], half: f32) -> (f32, [u8; 32]) {
    // The first of equal sizes.
    let most = x.iter().fold(0.0_f32, |most, &x| if x.abs() > most.abs() { x } else { most });
    let scale = most / -half;
    let (inverse, last) = (inverse(scale), 2.0 * half - 1.0);
    let value = |at: usize| (x[at] * inverse + (half + 0.5)).trunc().clamp(0.0, last) as u8;
    (scale, std::array::from_fn(value))
}

/// The scale, the minimum and the values between 0 and `most`.
fn affine(x: &[f32], most: f32) -> (f32, f32, [u8; 32]) {
    let least = x.iter().copied().fold(f32::INFINITY, f32::min);
    let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let scale = (largest - least) / most;
    let inverse = inverse(scale);
    let value = |at: usize| ((x[at] - least) * inverse + 0.5).trunc().clamp(0.0, most) as u8;
    (scale, least, std::array::from_fn(value))
}

pub fn q4_0(x: &[f32], block: &mut [u8]) {
    let (scale, values) = symmetric(x, 8.0);
    put_half(block, 0, scale);
    put_low(&mut block[2..], &values);
}

pub fn q4_1(x: &[f32], block: &mut [u8]) {
    let (scale, minimum, values) = affine(x, 15.0);
    put_half(block, 0, scale);
    put_half(block, 2, minimum);
    put_low(&mut block[4..], &values);
}

pub fn q5_0(x: &[f32], block: &mut [u8]) {
    let (scale, values) = symmetric(x, 16.0);
    put_half(block, 0, scale);
    put_high(&mut block[2..], &values);
    put_low(&mut block[6..], &values);
}

pub fn q5_1(x: &[f32], block: &mut [u8]) {
    let (scale, minimum, values) = affine(x, 31.0);
    put_half(block, 0, scale);
    put_half(block, 2, minimum);
    put_high(&mut block[4..], &values);
    put_low(&mut block[8..], &values);
}

pub fn q8_0(x: &[f32], block: &mut [u8]) {
    let most = x.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    let scale = most / 127.0;
    let inverse = inverse(scale);
    put_half(block, 0, scale);
    for (byte, x) in block[2..].iter_mut().zip(x) {
        // Halves are rounded away from 0.
        *byte = ((x * inverse).round() as i8).cast_unsigned();
    }
}
