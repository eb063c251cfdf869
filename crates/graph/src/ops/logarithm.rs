//! Logarithms to the bases 2 and 10.

use super::elementwise::with_slope;
use crate::{DType, Tensor};
use std::f64::consts::{LOG2_E, LOG10_E, SQRT_2};

#[hloom_derive::tensor_methods(logarithm)]
impl Tensor {
    /// The logarithm to the base 2: a whole number for every power of two.
    #[track_caller]
    pub fn log2(self) -> Tensor {
        let forward = |x: Tensor| {
            let parts = Parts::of(x);
            parts.or_at_edges(parts.exponent + parts.mantissa.log() * LOG2_E)
        };
        let slope = |x: Tensor| x.full_like(LOG2_E) / x;
        self.in_f32("log2", |x| with_slope(x, forward, slope))
    }

    /// The logarithm to the base 10: a whole number for every power of ten that the type has.
    #[track_caller]
    pub fn log10(self) -> Tensor {
        let forward = |x: Tensor| {
            let parts = Parts::of(x);
            // The product with the higher digits of log10(2) is exact.
            let (high, low) = match x.dtype() {
                DType::F64 => (LOG10_2_HIGH_64, LOG10_2_LOW_64),
                _ => (LOG10_2_HIGH_32, LOG10_2_LOW_32),
            };
            let small = parts.exponent * low + parts.mantissa.log() * LOG10_E;
            parts.or_at_edges(small + parts.exponent * high)
        };
        let slope = |x: Tensor| x.full_like(LOG10_E) / x;
        self.in_f32("log10", |x| with_slope(x, forward, slope))
    }
}

// log10(2) as in fdlibm.
const LOG10_2_HIGH_32: f64 = 3.0102920532e-01;
const LOG10_2_LOW_32: f64 = 7.9034151668e-07;
const LOG10_2_HIGH_64: f64 = 0.301_029_995_663_611_77;
const LOG10_2_LOW_64: f64 = 3.694_239_077_158_931e-13;

/// A positive normal number as a product of a power of two and a mantissa from 1/√2 to √2.
struct Parts {
    whole: Tensor,
    mantissa: Tensor,
    exponent: Tensor,
    is_normal: Tensor,
}

impl Parts {
    #[track_caller]
    fn of(whole: Tensor) -> Parts {
        let (word, digits, bias, smallest) = match whole.dtype() {
            DType::F64 => (DType::I64, 52, 1023i64, f64::MIN_POSITIVE),
            _ => (DType::I32, 23, 127, f64::from(f32::MIN_POSITIVE)),
        };
        let is_normal = whole.ge(smallest) & whole.is_finite();
        let bits = whole.bitcast(word);
        let fraction = bits & ((1i64 << digits) - 1);
        let mantissa = (fraction | (bias << digits)).bitcast(whole.dtype());
        let exponent = bits.shift_right_logical(digits) - bias;
        // Next to 1 the exponent is 0, and the result is the logarithm of the mantissa.
        let is_large = mantissa.gt(SQRT_2);
        let mantissa = is_large.select(mantissa * 0.5, mantissa);
        let exponent = is_large.select(exponent + 1, exponent).convert(whole.dtype());
        Parts { whole, mantissa, exponent, is_normal }
    }

    /// `logarithm` for normal numbers; else the logarithm of 0, of infinity, or NaN.
    #[track_caller]
    fn or_at_edges(&self, logarithm: Tensor) -> Tensor {
        self.is_normal.select(logarithm, self.whole.log())
    }
}
