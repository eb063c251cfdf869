//! Blocks of 256 values of -1, 0 and 1 with one scale.

use super::half;

/// Digit `place` in base 3 of a byte, which is a fraction of 256: multiplying by a power of 3
/// drops the digits before it, and 3 more moves it in front of the point.
fn digit(byte: u8, place: usize) -> u8 {
    let rest = byte.wrapping_mul([1, 3, 9, 27, 81][place]);
    ((u16::from(rest) * 3) >> 8) as u8
}

pub fn tq1_0(block: &[u8], out: &mut [f32]) {
    let d = half(block, 52);
    for (i, value) in out.iter_mut().enumerate() {
        // 32 and 16 bytes have five digits each, the last four bytes four digits.
        let digit = match i {
            0..160 => digit(block[i % 32], i / 32),
            160..240 => digit(block[32 + (i - 160) % 16], (i - 160) / 16),
            _ => digit(block[48 + (i - 240) % 4], (i - 240) / 4),
        };
        *value = d * f32::from(digit as i8 - 1);
    }
}

pub fn tq2_0(block: &[u8], out: &mut [f32]) {
    let d = half(block, 64);
    for (i, value) in out.iter_mut().enumerate() {
        let (part, shift, byte) = (i / 128, i % 128 / 32, i % 32);
        let two_bits = block[part * 32 + byte] >> (2 * shift) & 3;
        *value = d * f32::from(two_bits as i8 - 1);
    }
}
