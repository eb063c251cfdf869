//! Blocks of 256 values in groups of 16 or 32, with a scale for each group that is itself
//! quantised.

use super::{double_word, half};

/// Value `index` of 256 of 2 bits in 64 bytes: each half of the bytes holds 128 values, its lowest
/// bits those of the first 32.
fn two_bits(bytes: &[u8], index: usize) -> u8 {
    let (part, shift, byte) = (index / 128, index % 128 / 32, index % 32);
    bytes[part * 32 + byte] >> (2 * shift) & 3
}

/// Value `index` of 256 of 1 bit in 32 bytes: the lowest bits are those of the first 32.
fn one_bit(bytes: &[u8], index: usize) -> u8 {
    bytes[index % 32] >> (index / 32) & 1
}

/// Value `index` of 256 of 4 bits in 128 bytes: every `group` bytes hold the values of their low
/// halves, then those of their high halves.
fn four_bits(bytes: &[u8], group: usize, index: usize) -> u8 {
    let (part, shift, byte) = (index / (2 * group), index / group % 2, index % group);
    bytes[part * group + byte] >> (4 * shift) & 0xf
}

pub fn q2_k(block: &[u8], out: &mut [f32]) {
    let (scales, values) = (&block[..16], &block[16..80]);
    let (d, d_min) = (half(block, 80), half(block, 82));
    for (i, value) in out.iter_mut().enumerate() {
        let scale = scales[i / 16];
        let (d, min) = (d * f32::from(scale & 0xf), d_min * f32::from(scale >> 4));
        *value = d * f32::from(two_bits(values, i)) - min;
    }
}

pub fn q3_k(block: &[u8], out: &mut [f32]) {
    let (high, values, scales) = (&block[..32], &block[32..96], &block[96..108]);
    let d = half(block, 108);
    for (i, value) in out.iter_mut().enumerate() {
        let group = i / 16;
        let low = scales[group % 8] >> (4 * (group / 8)) & 0xf;
        let upper = scales[8 + group % 4] >> (2 * (group / 4)) & 3;
        let d = d * f32::from((low | upper << 4) as i8 - 32);
        // The high bit is inverted: without it, 4 is subtracted.
        let offset = 4 * (1 - one_bit(high, i) as i8);
        *value = d * f32::from(two_bits(values, i) as i8 - offset);
    }
}

/// The scale and the minimum of a group of 32 values, of 6 bits each in 12 bytes.
fn scale_and_min(scales: &[u8], group: usize) -> (u8, u8) {
    let at = group % 4;
    let (scale, min, both) = (scales[at], scales[4 + at], scales[8 + at]);
    if group < 4 {
        (scale & 0x3f, min & 0x3f)
    } else {
        (both & 0xf | scale >> 2 & 0x30, both >> 4 | min >> 2 & 0x30)
    }
}

pub fn q4_k(block: &[u8], out: &mut [f32]) {
    let (d, d_min) = (half(block, 0), half(block, 2));
    let (scales, values) = (&block[4..16], &block[16..]);
    for (i, value) in out.iter_mut().enumerate() {
        let (scale, min) = scale_and_min(scales, i / 32);
        let (d, min) = (d * f32::from(scale), d_min * f32::from(min));
        *value = d * f32::from(four_bits(values, 32, i)) - min;
    }
}

pub fn q5_k(block: &[u8], out: &mut [f32]) {
    let (d, d_min) = (half(block, 0), half(block, 2));
    let (scales, high, values) = (&block[4..16], &block[16..48], &block[48..]);
    for (i, value) in out.iter_mut().enumerate() {
        let (scale, min) = scale_and_min(scales, i / 32);
        let (d, min) = (d * f32::from(scale), d_min * f32::from(min));
        let five = four_bits(values, 32, i) | one_bit(high, i) << 4;
        *value = d * f32::from(five) - min;
    }
}

pub fn q6_k(block: &[u8], out: &mut [f32]) {
    let (values, high, scales) = (&block[..128], &block[128..192], &block[192..208]);
    let d = half(block, 208);
    for (i, value) in out.iter_mut().enumerate() {
        let d = d * f32::from(scales[i / 16].cast_signed());
        let six = four_bits(values, 64, i) | two_bits(high, i) << 4;
        *value = d * f32::from(six as i8 - 32);
    }
}

/// The sums of groups after the numbers are for products with minima.
pub fn q8_k(block: &[u8], out: &mut [f32]) {
    let d = f32::from_bits(double_word(block, 0));
    for (value, &byte) in out.iter_mut().zip(&block[4..]) {
        *value = d * f32::from(byte.cast_signed());
    }
}
