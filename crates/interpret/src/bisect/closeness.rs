//! Comparison of the results of two evaluations.

use crate::{Array, number::Number};
use hloom_graph::DType;

/// The distance up to which results are equal: integers and `bool` exactly, floats by units in the
/// last place of the largest expected element, since their sums may cancel. NaN equals NaN.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Closeness {
    units: f64,
}

impl Default for Closeness {
    /// 1024 units for types of 32 bits and more, 4 for narrower ones.
    fn default() -> Closeness {
        Closeness { units: 1024.0 }
    }
}

impl Closeness {
    /// A tolerance of `units` for types of 32 bits and more, and of a 256th of that, at least 1,
    /// for narrower types.
    pub const fn units(units: u32) -> Closeness {
        Closeness { units: units as f64 }
    }

    pub(super) fn all(self, expected: &[Array], found: &[Array]) -> bool {
        expected.len() == found.len()
            && expected.iter().zip(found).all(|(expected, found)| self.is_met(expected, found))
    }

    fn is_met(self, expected: &Array, found: &Array) -> bool {
        if !expected.shape().same_layout(&found.shape()) {
            return false;
        }
        let finite = expected.numbers().flat_map(parts).filter(|part| part.is_finite());
        let largest = finite.fold(0.0f64, |most, part| most.max(part.abs()));
        let allowed = self.allowed(expected.dtype().real(), largest);
        let are_near = |(expected, found): (Number, Number)| match (expected, found) {
            (Number::Int(expected), Number::Int(found)) => expected == found,
            (expected, found) => {
                parts(expected).iter().zip(parts(found)).all(|(&expected, found)| {
                    expected == found
                        || expected.is_nan() && found.is_nan()
                        || (expected - found).abs() <= allowed
                })
            }
        };
        expected.numbers().zip(found.numbers()).all(are_near)
    }

    /// The distance allowed where the largest element is this one.
    fn allowed(self, dtype: DType, largest: f64) -> f64 {
        let (mantissa_bits, smallest) = match dtype {
            DType::F64 => (52, f64::MIN_POSITIVE),
            DType::F32 => (23, f32::MIN_POSITIVE.into()),
            DType::F16 => (10, 2f64.powi(-14)),
            DType::BF16 => (7, f32::MIN_POSITIVE.into()),
            _ => (2, 0.0),
        };
        let units = if dtype.bits() >= 32 { self.units } else { (self.units / 256.0).max(1.0) };
        // Numbers below the normal ones may be flushed to zero.
        (largest * 2f64.powi(-mantissa_bits) * units).max(smallest)
    }
}

fn parts(number: Number) -> [f64; 2] {
    let complex = number.complex();
    [complex.re, complex.im]
}
