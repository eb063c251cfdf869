//! The value of an element of any type, from its bits.

use hloom::DType;

/// The layout of a float type.
struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    specials: Specials,
    has_sign: bool,
}

/// The encoding of infinities and NaN of a float type.
#[derive(PartialEq)]
enum Specials {
    /// All exponent bits are one: infinity with a zero mantissa, otherwise NaN.
    Ieee,
    /// All bits but the sign are one: NaN; no infinities.
    AllOnes,
    /// The bits of negative zero: NaN; no infinities.
    NegativeZero,
    /// Neither.
    None,
}

fn format(dtype: DType) -> Format {
    use Specials::{AllOnes, Ieee, NegativeZero, None};
    let (exponent_bits, mantissa_bits, bias, specials) = match dtype {
        DType::F4E2M1FN => (2, 1, 1, None),
        DType::F8E3M4 => (3, 4, 3, Ieee),
        DType::F8E4M3 => (4, 3, 7, Ieee),
        DType::F8E4M3FN => (4, 3, 7, AllOnes),
        DType::F8E4M3FNUZ => (4, 3, 8, NegativeZero),
        DType::F8E4M3B11FNUZ => (4, 3, 11, NegativeZero),
        DType::F8E5M2 => (5, 2, 15, Ieee),
        DType::F8E5M2FNUZ => (5, 2, 16, NegativeZero),
        DType::F8E8M0FNU => (8, 0, 127, AllOnes),
        DType::BF16 => (8, 7, 127, Ieee),
        DType::F16 => (5, 10, 15, Ieee),
        DType::F32 => (8, 23, 127, Ieee),
        DType::F64 => (11, 52, 1023, Ieee),
        other => panic!("{other} is not a float type"),
    };
    Format { exponent_bits, mantissa_bits, bias, specials, has_sign: dtype != DType::F8E8M0FNU }
}

/// The value of a float.
pub fn float(dtype: DType, bits: u64) -> f64 {
    let Format { exponent_bits, mantissa_bits, bias, specials, has_sign } = format(dtype);
    let width = exponent_bits + mantissa_bits;
    let magnitude = bits & ((1 << width) - 1);
    let negative = has_sign && bits >> width & 1 == 1;
    let exponent = (magnitude >> mantissa_bits) as i32;
    let mantissa = magnitude & ((1 << mantissa_bits) - 1);
    let is_special = match specials {
        Specials::Ieee => exponent == (1 << exponent_bits) - 1,
        Specials::AllOnes => magnitude == (1 << width) - 1,
        Specials::NegativeZero => negative && magnitude == 0,
        Specials::None => false,
    };
    let scale = (mantissa_bits as i32) + bias;
    let value = match exponent {
        _ if is_special && specials == Specials::Ieee && mantissa == 0 => f64::INFINITY,
        _ if is_special => f64::NAN,
        0 if has_sign => mantissa as f64 * power_of_two(1 - scale),
        _ => (mantissa | 1 << mantissa_bits) as f64 * power_of_two(exponent - scale),
    };
    if negative { -value } else { value }
}

/// 2 to the power of `exponent`, in two steps where one would leave f64's range.
fn power_of_two(exponent: i32) -> f64 {
    if exponent < -1000 { 2f64.powi(exponent + 200) * 2f64.powi(-200) } else { 2f64.powi(exponent) }
}

/// The distance between a float of this value and the next larger one.
pub fn ulp(dtype: DType, value: f64) -> f64 {
    let Format { mantissa_bits, .. } = format(dtype);
    let exponent = if value == 0.0 { i32::MIN } else { value.abs().log2().floor() as i32 };
    power_of_two(exponent.max(smallest_exponent(dtype)) - mantissa_bits as i32)
}

/// The exponent of the smallest normal number.
fn smallest_exponent(dtype: DType) -> i32 {
    1 - format(dtype).bias
}

/// The smallest normal number.
pub fn smallest_normal(dtype: DType) -> f64 {
    power_of_two(smallest_exponent(dtype))
}

#[test]
fn floats_have_the_values_of_their_formats() {
    for (dtype, bits, value) in [
        (DType::F4E2M1FN, 0b0111, 6.0),
        (DType::F4E2M1FN, 0b1001, -0.5),
        (DType::F8E4M3FN, 0x7e, 448.0),
        (DType::F8E4M3FN, 0x01, 0.001953125),
        (DType::F8E5M2, 0x7b, 57344.0),
        (DType::F8E5M2, 0xfc, f64::NEG_INFINITY),
        (DType::F8E4M3FNUZ, 0x7f, 240.0),
        (DType::F8E8M0FNU, 0x7f, 1.0),
        (DType::F8E8M0FNU, 0x00, 2f64.powi(-127)),
        (DType::BF16, 0x3fc0, 1.5),
        (DType::F64, (-2.5f64).to_bits(), -2.5),
        (DType::F64, 1, f64::from_bits(1)),
    ] {
        assert_eq!(float(dtype, bits), value, "{dtype} {bits:#x}");
    }
    for (dtype, bits) in [
        (DType::F8E4M3FN, 0x7f),
        (DType::F8E4M3FNUZ, 0x80),
        (DType::F8E5M2, 0x7d),
        (DType::F8E8M0FNU, 0xff),
    ] {
        assert!(float(dtype, bits).is_nan(), "{dtype} {bits:#x}");
    }
    for bits in 0..=u16::MAX {
        let (ours, theirs) = (float(DType::F16, bits.into()), half::f16::from_bits(bits).to_f64());
        assert!(
            ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan(),
            "f16 {bits:#x}"
        );
    }
    assert_eq!(ulp(DType::F32, 1.0), f64::from(f32::EPSILON));
    assert_eq!(ulp(DType::F32, 0.0), f64::from(f32::from_bits(1)));
    assert_eq!(smallest_normal(DType::F16), half::f16::MIN_POSITIVE.to_f64());
}
