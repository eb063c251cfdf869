//! Elements of any type: ordinary values, edges of the type, random bits.

use fastrand::Rng;
use half::{bf16, f16};
use hloom::DType;

/// The elements of an argument.
#[derive(Clone, Copy, PartialEq)]
pub enum Data {
    /// Any: mostly ordinary values, occasionally edges of the type and random bits.
    Any,
    /// Integers between -4 and 4, as far as the type has them.
    Small,
    /// Indices into an axis of a size, few of them out of range.
    Index(usize),
    /// Exponents: for integers mostly small ones, a few negative, and any; for floats any.
    Exponent,
}

/// The bytes of `count` elements in host layout.
pub fn elements(rng: &mut Rng, dtype: DType, count: usize, data: Data) -> Vec<u8> {
    let style = match data {
        Data::Any => rng.u8(..10),
        _ => 0,
    };
    let mut bytes = Vec::with_capacity(count * dtype.size());
    for _ in 0..count {
        let part = dtype.real();
        for _ in 0..if dtype.is_complex() { 2 } else { 1 } {
            let bits = match data {
                Data::Small => of_number(part, rng.i32(-4..=4).into()),
                Data::Index(size) => of_number(part, f64::from(index(rng, size))),
                Data::Exponent if dtype.is_int() => exponent(rng, dtype),
                _ => any(rng, part, style),
            };
            bytes.extend_from_slice(&bits.to_le_bytes()[..part.size()]);
        }
    }
    bytes
}

fn exponent(rng: &mut Rng, dtype: DType) -> u64 {
    match rng.u8(..8) {
        0 => random_bits(rng, dtype),
        1 => edge(rng, dtype),
        2 => of_number(dtype, rng.i32(-4..=4).into()),
        3 => of_number(dtype, rng.i32(0..=130).into()),
        _ => of_number(dtype, rng.i32(0..=6).into()),
    }
}

fn index(rng: &mut Rng, size: usize) -> i32 {
    match rng.u8(..12) {
        0 => rng.i32(-3..0),
        1 => size as i32 + rng.i32(0..3),
        _ => rng.i32(0..(size as i32).max(1)),
    }
}

fn any(rng: &mut Rng, dtype: DType, style: u8) -> u64 {
    // Whole tensors of one style, and ordinary ones with a few edges.
    match style {
        0 => random_bits(rng, dtype),
        1 => edge(rng, dtype),
        2 => of_number(dtype, rng.i32(-4..=4).into()),
        3 | 4 if rng.u8(..4) == 0 => edge(rng, dtype),
        _ => of_number(dtype, (rng.f64() - 0.5) * if rng.u8(..8) == 0 { 200.0 } else { 8.0 }),
    }
}

fn masked(dtype: DType, bits: u64) -> u64 {
    match dtype.bits() {
        64 => bits,
        width => bits & ((1 << width) - 1),
    }
}

/// Bits in host layout: sign bits fill the byte of a narrow integer.
fn laid_out(dtype: DType, bits: u64) -> u64 {
    let bits = masked(dtype, bits);
    let width = dtype.bits();
    if dtype.is_signed_int() && width < 8 && bits >> (width - 1) != 0 {
        return bits | !((1 << width) - 1);
    }
    bits
}

fn random_bits(rng: &mut Rng, dtype: DType) -> u64 {
    laid_out(dtype, rng.u64(..))
}

fn edge(rng: &mut Rng, dtype: DType) -> u64 {
    if !dtype.is_float() {
        let top = 1u64 << (dtype.bits() - 1);
        let edges = [0, 1, top, top - 1, top + 1, u64::MAX, u64::MAX - 1];
        return laid_out(dtype, edges[rng.usize(..edges.len())]);
    }
    let pick = rng.usize(..10);
    match dtype {
        DType::F64 => {
            let edges = [
                0.0,
                -0.0,
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::MAX,
                f64::MIN_POSITIVE,
                5e-324,
                1.0,
                -0.5,
            ];
            edges[pick].to_bits()
        }
        DType::F32 => {
            let edges = [
                0.0,
                -0.0,
                f32::NAN,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::MAX,
                f32::MIN_POSITIVE,
                1e-45,
                1.0,
                -0.5,
            ];
            edges[pick].to_bits().into()
        }
        DType::BF16 => [0, 0x8000, 0x7fc0, 0x7f80, 0xff80, 0x7f7f, 0x0080, 1, 0x3f80, 0xbf00][pick],
        DType::F16 => [0, 0x8000, 0x7e00, 0x7c00, 0xfc00, 0x7bff, 0x0400, 1, 0x3c00, 0xb800][pick],
        // All of their values are edges.
        _ => random_bits(rng, dtype),
    }
}

/// The bits of a number in a type that can represent it, or of a near one; for narrow floats, of
/// one of few.
fn of_number(dtype: DType, value: f64) -> u64 {
    match dtype {
        DType::Bool => (value as i64 & 1) as u64,
        DType::F64 => value.to_bits(),
        DType::F32 => (value as f32).to_bits().into(),
        DType::BF16 => bf16::from_f64(value).to_bits().into(),
        DType::F16 => f16::from_f64(value).to_bits().into(),
        dtype if dtype.is_int() => laid_out(dtype, value.round() as i64 as u64),
        dtype => narrow(dtype, value),
    }
}

/// A number in a float type below 16 bits, truncated to its digits.
fn narrow(dtype: DType, value: f64) -> u64 {
    let (fraction_bits, bias) = match dtype {
        DType::F4E2M1FN => (1, 1),
        DType::F8E3M4 => (4, 3),
        DType::F8E4M3 | DType::F8E4M3FN => (3, 7),
        DType::F8E4M3FNUZ => (3, 8),
        DType::F8E4M3B11FNUZ => (3, 11),
        DType::F8E5M2 => (2, 15),
        DType::F8E5M2FNUZ => (2, 16),
        // Powers of two, without zero and sign.
        _ => return (127 + value.abs().max(1e-3).log2() as i64) as u64,
    };
    // The highest exponent may be reserved for infinity.
    let highest = match dtype {
        DType::F4E2M1FN => 3,
        _ => (1i64 << (7 - fraction_bits)) - 2,
    };
    let bits = value.abs().to_bits();
    let exponent = ((bits >> 52) as i64 - 1023 + bias).min(highest);
    if exponent <= 0 {
        return 0;
    }
    let sign = if value < 0.0 { 1 << (dtype.bits() - 1) } else { 0 };
    let fraction = (bits >> (52 - fraction_bits)) & ((1 << fraction_bits) - 1);
    sign | ((exponent as u64) << fraction_bits) | fraction
}
