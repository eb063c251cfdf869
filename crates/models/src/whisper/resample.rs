//! Changing the sampling rate.

use std::f64::consts::PI;

/// Zero crossings of the sinc function on each side of its middle.
const CROSSINGS: f64 = 24.0;
/// The fraction of the representable frequencies that pass the filter.
const PASS: f64 = 0.95;

/// Samples at `to` per second from samples at `from` per second: the values of the band-limited
/// function through the samples, [by the sum of sinc
/// functions](https://ccrma.stanford.edu/~jos/resample/) with a Hann window. The audio is silent
/// before and after.
///
/// The filter has one phase for each result until a result coincides with a sample again; all
/// phases are computed once.
pub(super) fn resampled(samples: &[f32], from: u32, to: u32) -> Vec<f32> {
    let common = gcd(from, to);
    let (step, phases) = ((from / common) as usize, (to / common) as usize);
    // The cutoff, relative to the input's rate: the frequencies that both rates can represent.
    let cutoff = PASS * f64::min(1.0, f64::from(to) / f64::from(from));
    let half = (CROSSINGS / cutoff).ceil() as usize;
    let kernel = |distance: f64| {
        let x = distance * cutoff;
        let sinc = if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) };
        let window = (0.5 * PI * (x / CROSSINGS).clamp(-1.0, 1.0)).cos().powi(2);
        cutoff * sinc * window
    };
    let width = 2 * half + 1;
    let mut filters = Vec::with_capacity(phases * width);
    for phase in 0..phases {
        let after = (phase * step % phases) as f64 / phases as f64;
        filters.extend((0..width).map(|tap| kernel(tap as f64 - half as f64 - after) as f32));
    }
    let count = (samples.len() as u64 * phases as u64).div_ceil(step as u64) as usize;
    let value = |i: usize| {
        let middle = (i as u64 * step as u64 / phases as u64) as usize;
        let filter = &filters[i % phases * width..][..width];
        // Taps before the first sample and after the last one are multiplied by 0.
        let skipped = half.saturating_sub(middle);
        let first = middle.saturating_sub(half);
        let pairs = filter[skipped..].iter().zip(&samples[first.min(samples.len())..]);
        pairs.map(|(tap, x)| f64::from(*tap) * f64::from(*x)).sum::<f64>() as f32
    };
    (0..count).map(value).collect()
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(rate: u32, frequency: f64, count: usize) -> Vec<f32> {
        let at = |i: usize| (2.0 * PI * frequency * i as f64 / f64::from(rate)).sin() as f32;
        (0..count).map(at).collect()
    }

    #[test]
    fn waves_that_both_rates_have_are_kept_and_others_removed() {
        for (from, to) in [(44_100, 16_000), (8_000, 16_000), (48_000, 16_000), (16_001, 16_000)] {
            let least = f64::from(from.min(to));
            for (frequency, passes) in [(0.01, true), (0.4, true), (0.56, false), (0.8, false)] {
                let frequency = frequency * least;
                if frequency > 0.5 * f64::from(from) {
                    continue;
                }
                let found = resampled(&wave(from, frequency, from as usize / 4), from, to);
                assert_eq!(found.len(), (from as usize / 4 * to as usize).div_ceil(from as usize));
                let expected = wave(to, frequency, found.len());
                let (first, last) = (to as usize / 40, found.len() - to as usize / 40);
                let off = (first..last).map(|i| {
                    let expected = if passes { expected[i] } else { 0.0 };
                    (found[i] - expected).abs()
                });
                let off = off.fold(0.0, f32::max);
                assert!(off < 2e-3, "{frequency} Hz, {from} to {to}: off by {off}");
            }
        }
    }

    #[test]
    fn audio_shorter_than_the_filter_is_resampled() {
        for count in 1..40 {
            let found = resampled(&vec![1.0; count], 44_100, 16_000);
            assert_eq!(found.len(), (count * 160).div_ceil(441));
            assert!(found.iter().all(|x| x.is_finite()));
        }
    }
}
