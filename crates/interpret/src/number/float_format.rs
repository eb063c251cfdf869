//! The encodings of floats below 32 bits, and rounding to formats of fewer bits.

use super::mask;
use hloom_graph::DType;

/// The layout of a float type.
pub(crate) struct FloatFormat {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    specials: Specials,
    /// Whether there are a sign, a zero and subnormal numbers.
    has_sign: bool,
}

/// The encoding of infinities and NaN.
#[derive(Clone, Copy, PartialEq)]
enum Specials {
    /// All exponent bits are one: infinity with a zero mantissa, otherwise NaN.
    Ieee,
    /// All bits but the sign are one: NaN; no infinities.
    AllOnes,
    /// The bits of negative zero: NaN; no infinities.
    NegativeZero,
    /// Neither infinities nor NaN: numbers that are too large become the largest number.
    None,
}

impl FloatFormat {
    /// The format of a float type below 32 bits.
    pub fn of(dtype: DType) -> Option<FloatFormat> {
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
            _ => return Option::None,
        };
        let has_sign = dtype != DType::F8E8M0FNU;
        Some(FloatFormat { exponent_bits, mantissa_bits, bias, specials, has_sign })
    }

    /// The bits without the sign's.
    fn width(&self) -> u32 {
        self.exponent_bits + self.mantissa_bits
    }

    fn magnitude_mask(&self) -> u128 {
        mask(self.width() as usize)
    }

    /// The exponent of the smallest normal number.
    fn lowest_exponent(&self) -> i32 {
        if self.has_sign { 1 - self.bias } else { -self.bias }
    }

    /// The largest finite magnitude, as bits.
    pub fn largest(&self) -> u128 {
        match self.specials {
            Specials::Ieee => (mask(self.exponent_bits as usize) << self.mantissa_bits) - 1,
            Specials::AllOnes => self.magnitude_mask() - 1,
            Specials::NegativeZero | Specials::None => self.magnitude_mask(),
        }
    }

    /// The bits of NaN; those of zero where there is none.
    fn nan(&self) -> u128 {
        match self.specials {
            Specials::Ieee => {
                let exponent = mask(self.exponent_bits as usize) << self.mantissa_bits;
                exponent | (1 << (self.mantissa_bits - 1))
            }
            Specials::AllOnes => self.magnitude_mask(),
            Specials::NegativeZero => 1 << self.width(),
            Specials::None => 1 << self.width(),
        }
    }

    pub fn decode(&self, bits: u128) -> f64 {
        let magnitude = bits & self.magnitude_mask();
        let is_negative = self.has_sign && bits >> self.width() & 1 == 1;
        let exponent = (magnitude >> self.mantissa_bits) as i32;
        let mantissa = magnitude & mask(self.mantissa_bits as usize);
        let is_special = match self.specials {
            Specials::Ieee => exponent == (1 << self.exponent_bits) - 1,
            Specials::AllOnes => magnitude == self.magnitude_mask(),
            Specials::NegativeZero => is_negative && magnitude == 0,
            Specials::None => false,
        };
        let scale = self.mantissa_bits as i32 + self.bias;
        let value = match exponent {
            _ if is_special && self.specials == Specials::Ieee && mantissa == 0 => f64::INFINITY,
            _ if is_special => f64::NAN,
            0 if self.has_sign => mantissa as f64 * 2f64.powi(1 - scale),
            _ => (mantissa | (1 << self.mantissa_bits)) as f64 * 2f64.powi(exponent - scale),
        };
        if is_negative { -value } else { value }
    }

    /// The bits of the nearest number, ties to even. Numbers that are too large become infinite, or
    /// NaN in types without infinities.
    pub fn encode(&self, value: f64) -> u128 {
        let sign = u128::from(self.has_sign && value.is_sign_negative()) << self.width();
        let too_large = match self.specials {
            Specials::Ieee => sign | (self.largest() + 1),
            Specials::AllOnes => sign | self.nan(),
            Specials::NegativeZero => self.nan(),
            Specials::None => sign | self.largest(),
        };
        let magnitude = value.abs();
        // A type without a sign has no zero either.
        if value.is_nan() || !self.has_sign && value <= 0.0 {
            return self.nan();
        }
        if magnitude == 0.0 {
            return if self.specials == Specials::NegativeZero { 0 } else { sign };
        }
        if magnitude.is_infinite() {
            return too_large;
        }
        let exponent = exponent_of(magnitude).max(self.lowest_exponent());
        let unit = 2f64.powi(exponent - self.mantissa_bits as i32);
        let count = (magnitude / unit).round_ties_even() as u128;
        let steps = (exponent - self.lowest_exponent()) as u128;
        let first = if self.has_sign { 0 } else { 1 };
        // A count of twice the lowest mantissa carries into the exponent.
        let bits = (steps << self.mantissa_bits) + count;
        match bits.saturating_sub(first) {
            bits if bits > self.largest() => too_large,
            0 if self.specials == Specials::NegativeZero => 0,
            bits => sign | bits,
        }
    }
}

/// The exponent of the leading bit of a positive number.
fn exponent_of(value: f64) -> i32 {
    let exponent = (value.to_bits() >> 52) as i32;
    if exponent > 0 { exponent - 1023 } else { exponent_of(value * 2f64.powi(60)) - 60 }
}

/// A float rounded to a format of these numbers of bits, ties to even. Numbers that are too large
/// become infinite, and those below the normal numbers zero; NaN stays NaN.
pub(crate) fn reduced(dtype: DType, value: f64, exponent_bits: u32, mantissa_bits: u32) -> f64 {
    let (own_exponent, own_mantissa) = match dtype {
        DType::BF16 => (8, 7),
        DType::F16 => (5, 10),
        DType::F32 => (8, 23),
        _ => (11, 52),
    };
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    let mut rounded = value;
    if mantissa_bits < own_mantissa {
        let bits = value.to_bits();
        let dropped = 52 - mantissa_bits;
        let is_odd = bits >> dropped & 1;
        let up = (bits + (1 << (dropped - 1)) - 1 + is_odd) >> dropped << dropped;
        rounded = f64::from_bits(up);
    }
    if exponent_bits < own_exponent {
        let bias = (1 << (exponent_bits - 1)) - 1;
        let exponent = exponent_of(rounded.abs());
        if !rounded.is_finite() || exponent > bias {
            return f64::INFINITY.copysign(value);
        }
        if exponent < 1 - bias {
            return 0f64.copysign(value);
        }
    }
    rounded
}
