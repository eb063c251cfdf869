//! Random operands and error bounds.

use hloom_kernels::Element;

/// Random numbers between -1 and 1, the same for the same seed.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> f32 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// The distance between adjacent values of an element type around a number.
pub fn ulp<Y: Element>(value: f64) -> f64 {
    let (digits, smallest) = match Y::NAME {
        "f32" => (23, -126),
        "bf16" => (7, -126),
        _ => (10, -14),
    };
    let exponent =
        if value == 0.0 { smallest } else { (value.abs().log2().floor() as i32).max(smallest) };
    2f64.powi(exponent - digits)
}

/// Checks a sum: the error is at most two ulps plus the error of an `f32` sum in four lanes, the
/// minimum number of lanes.
pub fn check_sum<Y: Element>(what: &str, addends: impl Iterator<Item = f64>, found: Y) {
    let (mut sum, mut size, mut count) = (0.0, 0.0, 0);
    for addend in addends {
        sum += addend;
        size += addend.abs();
        count += 1;
    }
    let lost = f64::from(f32::EPSILON / 2.0) * f64::from(count / 4 + 8) * size;
    let found = f64::from(found.to_f32());
    assert!((found - sum).abs() <= 2.0 * ulp::<Y>(sum) + lost, "{what}: {found} for {sum}");
}
