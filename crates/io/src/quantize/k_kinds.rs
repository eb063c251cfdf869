//! Blocks of 256 values with quantised scales.

use super::{inverse, put_half, search};

/// The largest scale of six bits.
const SIX_BITS: f32 = 63.0;

/// The bytes before the values of blocks with scales of six bits.
const HEADER: usize = 16;

/// Writes the scales and minima of eight units of 32 values, and returns the levels of the values,
/// between 0 and `most`.
fn put_scales(x: &[f32], most: f32, block: &mut [u8]) -> [u8; 256] {
    let (units, _) = x.as_chunks::<32>();
    let mut fits = [(0.0, 0.0); 8];
    for (fit, x) in fits.iter_mut().zip(units) {
        *fit = search::affine(x, most);
    }
    let largest = |part: fn(&(f32, f32)) -> f32| fits.iter().map(part).fold(0.0, f32::max);
    let scale = put_half(block, 0, largest(|fit| fit.0) / SIX_BITS);
    let minimum = put_half(block, 2, largest(|fit| -fit.1) / SIX_BITS);
    let [to_scale, to_minimum] = [inverse(scale), inverse(minimum)];
    let (scales, levels) = block.split_at_mut(HEADER);
    let scales = &mut scales[4..];
    scales.fill(0);
    let mut all = [0; 256];
    for (unit, (x, fit)) in units.iter().zip(fits).enumerate() {
        let nearest = [fit.0 * to_scale, -fit.1 * to_minimum];
        let (s, m) = search::rounded(nearest, SIX_BITS, |s, m| {
            let (scale, offset) = (scale * s, minimum * m);
            let to_level = inverse(scale);
            let mut error = 0.0;
            for x in x {
                let level = ((x + offset) * to_level).round_ties_even().clamp(0.0, most);
                error += (scale * level - offset - x).powi(2);
            }
            error
        });
        let [low, high] = [s as u8, m as u8];
        if unit < 4 {
            scales[unit] |= low;
            scales[unit + 4] |= high;
        } else {
            scales[unit + 4] = low & 15 | high << 4;
            scales[unit - 4] |= low >> 4 << 6;
            scales[unit] |= high >> 4 << 6;
        }
        let (to_level, offset) = (inverse(scale * s), minimum * m);
        for (level, x) in all[32 * unit..].iter_mut().zip(x) {
            *level = ((x + offset) * to_level).round_ties_even().clamp(0.0, most) as u8;
        }
    }
    levels.fill(0);
    all
}

/// Writes the low four bits of levels: of each two units in the halves of 32 bytes.
fn put_low(levels: &[u8; 256], bytes: &mut [u8]) {
    for (at, level) in levels.iter().enumerate() {
        bytes[at / 64 * 32 + at % 32] |= (level & 15) << (at / 32 % 2 * 4);
    }
}

pub fn q4_k(x: &[f32], block: &mut [u8]) {
    let levels = put_scales(x, 15.0, block);
    put_low(&levels, &mut block[HEADER..]);
}

pub fn q5_k(x: &[f32], block: &mut [u8]) {
    let levels = put_scales(x, 31.0, block);
    for (at, level) in levels.iter().enumerate() {
        block[HEADER + at % 32] |= (level >> 4) << (at / 32);
    }
    put_low(&levels, &mut block[HEADER + 32..]);
}

pub fn q6_k(x: &[f32], block: &mut [u8]) {
    let (units, _) = x.as_chunks::<16>();
    let mut fits = [0.0; 16];
    for (fit, x) in fits.iter_mut().zip(units) {
        *fit = search::symmetric(x, 32.0);
    }
    let most = fits.iter().fold(0.0_f32, |most, &x| if x.abs() > most.abs() { x } else { most });
    // The scale of the largest size is -128.
    let scale = put_half(block, 208, most / -128.0);
    let to_factor = inverse(scale);
    block[..192].fill(0);
    for (unit, (x, fit)) in units.iter().zip(fits).enumerate() {
        let factor = (fit * to_factor).round_ties_even().clamp(-128.0, 127.0);
        block[192 + unit] = (factor as i8).cast_unsigned();
        let to_level = inverse(scale * factor);
        for (at, x) in x.iter().enumerate() {
            let level = (x * to_level).round_ties_even().clamp(-32.0, 31.0) as i8;
            let (level, at) = ((level + 32) as u8, 16 * unit + at);
            block[at / 128 * 64 + at % 64] |= (level & 15) << (at % 128 / 64 * 4);
            block[128 + at / 128 * 32 + at % 32] |= level >> 4 << (at % 128 / 32 * 2);
        }
    }
}
