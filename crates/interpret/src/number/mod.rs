//! Numbers: the values that elements are computed with, and their encoding in the element types.

mod complex;
mod convert;
mod extremes;
mod float_format;

pub(crate) use complex::Complex;
pub(crate) use convert::converted;
pub(crate) use extremes::{highest, lowest};
pub(crate) use float_format::{FloatFormat, reduced};

use hloom_graph::DType;

/// The value of an element. Real floats of every type are values of `f64`, integers and `bool`
/// (0 and 1) of `i128`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Int(i128),
    Float(f64),
    Complex(Complex),
}

impl Number {
    pub fn truth(value: bool) -> Number {
        Number::Int(value.into())
    }

    /// The value of the bits of an element.
    pub fn decode(dtype: DType, bits: u128) -> Number {
        match dtype {
            DType::F64 => Number::Float(f64::from_bits(bits as u64)),
            DType::F32 => Number::Float(f32::from_bits(bits as u32).into()),
            DType::C64 => Number::Complex(Complex {
                re: f32::from_bits(bits as u32).into(),
                im: f32::from_bits((bits >> 32) as u32).into(),
            }),
            DType::C128 => Number::Complex(Complex {
                re: f64::from_bits(bits as u64),
                im: f64::from_bits((bits >> 64) as u64),
            }),
            dtype if dtype.is_signed_int() => Number::Int(signed(bits, dtype.bits())),
            dtype => match FloatFormat::of(dtype) {
                Some(format) => Number::Float(format.decode(bits)),
                None => Number::Int(bits as i128),
            },
        }
    }

    /// The bits of the element that the number rounds to, to nearest and ties to even; integers
    /// wrap around. A number of another kind than the type's is converted.
    pub fn encode(self, dtype: DType) -> u128 {
        match dtype {
            DType::Bool => match self {
                Number::Int(value) => (value != 0).into(),
                Number::Float(value) => (value != 0.0).into(),
                Number::Complex(value) => (value.re != 0.0 || value.im != 0.0).into(),
            },
            DType::F64 => self.real().to_bits().into(),
            DType::F32 => (self.real() as f32).to_bits().into(),
            DType::C64 => {
                let Complex { re, im } = self.complex();
                u128::from((re as f32).to_bits()) | (u128::from((im as f32).to_bits()) << 32)
            }
            DType::C128 => {
                let Complex { re, im } = self.complex();
                u128::from(re.to_bits()) | (u128::from(im.to_bits()) << 64)
            }
            dtype => match FloatFormat::of(dtype) {
                Some(format) => format.encode(self.real()),
                None => self.int() as u128 & mask(dtype.bits()),
            },
        }
    }

    /// The number after rounding to an element type.
    pub fn stored(self, dtype: DType) -> Number {
        Number::decode(dtype, self.encode(dtype))
    }

    /// The real part.
    pub fn real(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::Float(value) => value,
            Number::Complex(value) => value.re,
        }
    }

    pub fn complex(self) -> Complex {
        match self {
            Number::Complex(value) => value,
            real => Complex { re: real.real(), im: 0.0 },
        }
    }

    /// The whole number, rounded toward zero.
    pub fn int(self) -> i128 {
        match self {
            Number::Int(value) => value,
            other => other.real() as i128,
        }
    }

    pub fn is_true(self) -> bool {
        self.int() != 0
    }
}

/// The lowest `bits` bits.
pub(crate) fn mask(bits: usize) -> u128 {
    if bits < 128 { (1 << bits) - 1 } else { u128::MAX }
}

/// The value of the lowest `bits` bits as a signed integer.
fn signed(bits: u128, width: usize) -> i128 {
    (bits << (128 - width)) as i128 >> (128 - width)
}
