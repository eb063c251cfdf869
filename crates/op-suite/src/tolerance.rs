//! Tolerances of results.

use crate::{Values, number};
use hloom::{DType, Shape};

/// The allowed distance of a result from the exact one, rounded to its type.
///
/// Integers and `bool` must be equal. A float of 32 or 64 bits may differ by `wide` units in the
/// last place, since libraries approximate differently; a narrower one by `narrow`, since it is
/// computed in a wider type and rounded once, up or down.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    wide: f64,
    narrow: f64,
    of_largest: bool,
    zeros_alike: bool,
}

/// The same bits, except that all NaNs are equal.
pub const EXACT: Tolerance =
    Tolerance { wide: 0.0, narrow: 0.0, of_largest: false, zeros_alike: false };

/// This many units in the last place for floats of 32 and 64 bits, 1 for narrower ones.
pub const fn ulps(wide: u32) -> Tolerance {
    Tolerance { wide: wide as f64, narrow: 1.0, of_largest: false, zeros_alike: true }
}

impl Tolerance {
    /// This many units in the last place for floats below 32 bits: for composed ops, in which each
    /// op may round.
    pub const fn narrow(self, narrow: u32) -> Tolerance {
        Tolerance { narrow: narrow as f64, ..self }
    }

    /// Both zeros are equal: for ops that may return either, such as the larger of both zeros.
    pub const fn either_zero(self) -> Tolerance {
        Tolerance { zeros_alike: true, ..self }
    }

    /// Units of the largest expected element: for sums, whose terms may cancel.
    pub const fn of_largest(self) -> Tolerance {
        Tolerance { of_largest: true, ..self }
    }

    /// So many times the distance.
    pub const fn times(self, factor: f64) -> Tolerance {
        Tolerance { wide: self.wide * factor, narrow: self.narrow * factor, ..self }
    }

    /// For products of `f32` whose operands are rounded to `tf32`, with 10 bits of mantissa
    /// instead of 23: at least 2^14 units of the largest expected element, which is 2^-9 of it,
    /// and more for what is composed of several products, up to 2^17 units. Other types keep
    /// theirs.
    pub const fn for_tf32(self) -> Tolerance {
        /// Units of `f32` in an operand's rounding to `tf32`, twice for two operands and as often
        /// again for the sum.
        const UNITS: f64 = 2048.0;
        let wide = if self.wide < 8.0 { 8.0 } else { self.wide } * UNITS;
        let wide = if wide > 64.0 * UNITS { 64.0 * UNITS } else { wide };
        Tolerance { wide, of_largest: true, ..self }
    }

    /// The largest distance in units, or a description of the mismatch.
    pub fn check(self, expected: &Values, shape: Shape, bytes: &[u8]) -> Result<f64, String> {
        if !shape.same_layout(&expected.shape) {
            return Err(format!("the result is {shape}, expected {}", expected.shape));
        }
        if bytes.len() != expected.bytes.len() {
            return Err(format!(
                "the result has {} bytes, expected {}",
                bytes.len(),
                expected.bytes.len()
            ));
        }
        let dtype = shape.dtype();
        if !dtype.is_float() && !dtype.is_complex() {
            return same_integers(dtype, &expected.bytes, bytes).map(|()| 0.0);
        }
        let part = dtype.real();
        let floats = |bytes: &[u8]| -> Vec<f64> {
            bytes
                .chunks_exact(part.size())
                .map(|chunk| number::float(part, word(part, chunk)))
                .collect()
        };
        let (expected, found) = (floats(&expected.bytes), floats(bytes));
        let finite = expected.iter().copied().filter(|v| v.is_finite());
        let largest = finite.fold(0.0f64, |most, v| most.max(v.abs()));
        let limit = if part.bits() >= 32 { self.wide } else { self.narrow };
        let mut worst = 0.0f64;
        let group = if dtype.is_complex() { 2 } else { 1 };
        for (i, (&e, &f)) in expected.iter().zip(&found).enumerate() {
            let agree = e.to_bits() == f.to_bits()
                || e.is_nan() && f.is_nan()
                || self.zeros_alike && e == f;
            if agree {
                continue;
            }
            // The error of one part of a complex number is relative to the larger of both parts.
            let of = &expected[i / group * group..][..group];
            let unit_of = if self.of_largest {
                largest
            } else {
                of.iter().fold(0.0f64, |most, v| most.max(v.abs()))
            };
            let distance = (e - f).abs() / number::ulp(part, unit_of);
            // A platform may flush subnormal numbers to zero.
            let tiny = |v: f64| v.abs() < number::smallest_normal(part);
            let flushed = limit > 0.0 && tiny(e) && tiny(f);
            if !(distance <= limit && distance > 0.0 || flushed) {
                let at = i / group;
                return Err(format!(
                    "element {at} is {f:?}, expected {e:?}: {distance} units away, allowed are \
                     {limit}"
                ));
            }
            if !flushed {
                worst = worst.max(distance);
            }
        }
        Ok(worst)
    }
}

/// The bits of an element as a number; bits above the type's width are ignored.
fn word(dtype: DType, bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    let word = u64::from_le_bytes(all);
    if dtype.bits() < 64 { word & ((1 << dtype.bits()) - 1) } else { word }
}

fn same_integers(dtype: DType, expected: &[u8], found: &[u8]) -> Result<(), String> {
    let size = dtype.size();
    for (i, (e, f)) in expected.chunks_exact(size).zip(found.chunks_exact(size)).enumerate() {
        let (e, f) = (word(dtype, e), word(dtype, f));
        if e != f {
            let signed = |v: u64| (v << (64 - dtype.bits())) as i64 >> (64 - dtype.bits());
            return Err(if dtype.is_signed_int() {
                format!("element {i} is {}, expected {}", signed(f), signed(e))
            } else {
                format!("element {i} is {f}, expected {e}")
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tolerance: Tolerance, expected: &[f32], found: &[f32]) -> Result<f64, String> {
        let shape = Shape::new(DType::F32, [expected.len()]).unwrap();
        let bytes = |v: &[f32]| v.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        tolerance.check(&Values { shape, bytes: bytes(expected) }, shape, &bytes(found))
    }

    #[test]
    fn wrong_results_are_found() {
        let next = 1.0 + f32::EPSILON;
        assert!(check(EXACT, &[1.0, f32::NAN], &[1.0, f32::NAN]).is_ok());
        assert!(check(EXACT, &[0.0], &[-0.0]).is_err());
        assert!(check(EXACT.either_zero(), &[0.0], &[-0.0]).is_ok());
        assert!(check(EXACT, &[1.0], &[next]).is_err());
        assert_eq!(check(ulps(1), &[1.0], &[next]), Ok(1.0));
        assert!(check(ulps(4), &[1.0], &[f32::NAN]).is_err());
        assert!(check(ulps(4), &[f32::NAN], &[1.0]).is_err());
        assert!(check(ulps(4), &[f32::INFINITY], &[f32::MAX]).is_err());
        assert!(check(ulps(4), &[f32::INFINITY], &[f32::NEG_INFINITY]).is_err());
        assert!(check(ulps(4), &[0.0], &[1e-30]).is_err());
        assert!(check(ulps(1), &[1e-3, 1.0], &[1e-3 + f32::EPSILON, 1.0]).is_err());
        assert!(check(ulps(1).of_largest(), &[1e-3, 1.0], &[1e-3 + f32::EPSILON, 1.0]).is_ok());
        let rounded = 1.0 + 8000.0 * f32::EPSILON;
        assert!(check(ulps(8), &[1.0], &[rounded]).is_err());
        assert!(check(ulps(8).for_tf32(), &[1.0], &[rounded]).is_ok());
        assert!(check(ulps(8).for_tf32(), &[1.0], &[1.01]).is_err());
        assert!(check(ulps(2048).for_tf32(), &[1.0], &[1.02]).is_err());
        assert_eq!(check(ulps(1).times(4.0), &[1.0], &[1.0 + 4.0 * f32::EPSILON]), Ok(4.0));
        let four = Shape::new(DType::I4, [1]).unwrap();
        let minus_one = Values { shape: four, bytes: vec![0xff] };
        assert!(EXACT.check(&minus_one, four, &[0x0f]).is_ok(), "only the type's own bits count");
        assert!(EXACT.check(&minus_one, four, &[0x07]).is_err());
        assert!(EXACT.check(&minus_one, four.with_dtype(DType::I8), &[0xff]).is_err());
    }
}
