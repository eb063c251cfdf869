//! The exponential function, in a form that the compiler vectorises.

/// The logarithm of 2, whose first part has few bits, and the rest of it.
pub(crate) const LN_2: (f32, f32) = (0.693_359_4, -2.121_944_4e-4);

/// The polynomial `p` of `exp(r) = 1 + r + p(r) * r * r` for half the logarithm of 2, highest power
/// first.
pub(crate) const POLYNOMIAL: [f32; 6] =
    [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_6e-1, 0.5];

/// The minimum exponent whose power is not 0.
pub(crate) const MIN_EXPONENT: f32 = -87.0;

/// e to the power of `x`, which is at most 0 or NaN: the error is at most two ulps, and results
/// below the normal numbers are 0.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    /// Adding it leaves the rounded integer in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN_2.0) - n * LN_2.1;
    let [mut y, rest @ ..] = POLYNOMIAL;
    for coefficient in rest {
        y = y * r + coefficient;
    }
    y = y * (r * r) + (r + 1.0);
    let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    if x < MIN_EXPONENT { 0.0 } else { y * power }
}

#[cfg(test)]
mod tests {
    #[test]
    fn exponentials_are_near() {
        let mut x = 0.0_f32;
        while x > -87.0 {
            let (found, expected) = (f64::from(super::exp(x)), f64::from(x).exp());
            assert!((found - expected).abs() <= 2.4e-7 * expected, "{x}: {found} for {expected}");
            x -= 0.0137 + if cfg!(miri) { 1.0 } else { 0.0 };
        }
        assert_eq!(super::exp(0.0), 1.0);
        assert_eq!(super::exp(f32::NEG_INFINITY), 0.0);
        assert_eq!(super::exp(-1000.0), 0.0);
        assert!(super::exp(f32::NAN).is_nan());
    }
}
