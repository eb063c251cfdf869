//! Blocks of floats of 4 bits (E2M1) with scales of 8 bits.

/// Twice the values of E2M1; scales are halved instead.
const DOUBLED: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// Half of the power of two with a biased exponent of 8 bits. The code for NaN, 255, is an
/// ordinary exponent here.
fn half_e8m0(exponent: u8) -> f32 {
    // The two smallest halves are subnormal.
    let bits = match exponent {
        0 => 0x0020_0000,
        1 => 0x0040_0000,
        exponent => u32::from(exponent - 1) << 23,
    };
    f32::from_bits(bits)
}

/// Half of a float with 4 bits of exponent and 3 of mantissa; the sign is ignored, and the code for
/// NaN without it is zero.
fn half_e4m3(code: u8) -> f32 {
    let (exponent, mantissa) = (code >> 3 & 0xf, f32::from(code & 7));
    if code == 0x7f {
        return 0.0;
    }
    // Powers of two are exact, so that the order of the products does not matter.
    if exponent == 0 {
        mantissa * 2f32.powi(-10)
    } else {
        (1.0 + mantissa / 8.0) * 2f32.powi(i32::from(exponent) - 8)
    }
}

pub fn mxfp4(block: &[u8], out: &mut [f32]) {
    let d = half_e8m0(block[0]);
    for (i, value) in out.iter_mut().enumerate() {
        let code = block[1 + i % 16] >> (4 * (i / 16)) & 0xf;
        *value = d * f32::from(DOUBLED[usize::from(code)]);
    }
}

pub fn nvfp4(block: &[u8], out: &mut [f32]) {
    for (group, values) in out.chunks_exact_mut(16).enumerate() {
        let d = half_e4m3(block[group]);
        let codes = &block[4 + 8 * group..];
        for (i, value) in values.iter_mut().enumerate() {
            let code = codes[i % 8] >> (4 * (i / 8)) & 0xf;
            *value = d * f32::from(DOUBLED[usize::from(code)]);
        }
    }
}
