//! Searches for the scale with the least sum of squared errors.

/// Scales that are tried in each direction from the one that reaches the outermost value.
const TRIES: i8 = 9;

/// Rounds of fits from each tried scale.
const ROUNDS: usize = 3;

/// The step between tried scales, as a number of levels over the whole range.
const STEP: f32 = 0.1;

/// Values to which a scale fits least squares.
#[derive(Clone, Copy, Default)]
struct Fit {
    /// Sums of `level`, `level * level`, `x * level`.
    levels: f32,
    squares: f32,
    products: f32,
}

impl Fit {
    fn of(levels: &[f32], x: &[f32]) -> Fit {
        let mut fit = Fit::default();
        for (level, x) in levels.iter().zip(x) {
            fit.levels += level;
            fit.squares += level * level;
            fit.products += x * level;
        }
        fit
    }
}

/// The scale of values `scale * level`, where levels are integers from `-half` to `half - 1`. It
/// may be negative.
pub fn symmetric<const N: usize>(x: &[f32; N], half: f32) -> f32 {
    let most = x.iter().fold(0.0_f32, |most, &x| if x.abs() > most.abs() { x } else { most });
    let mut best = (0.0, 0.0);
    // The reciprocal of a subnormal number may be infinite.
    if most.abs() < f32::MIN_POSITIVE * half {
        return 0.0;
    }
    for at in -TRIES..=TRIES {
        let inverse = -(half + STEP * f32::from(at)) / most;
        let mut levels = [0.0; N];
        for (level, x) in levels.iter_mut().zip(x) {
            *level = (x * inverse).round_ties_even().clamp(-half, half - 1.0);
        }
        let fit = Fit::of(&levels, x);
        // The error is the sum of the squares of `x` minus this.
        let gain = fit.products * fit.products / fit.squares;
        if gain > best.0 {
            best = (gain, fit.products / fit.squares);
        }
    }
    best.1
}

/// The scale and the minimum, at most 0, of values `scale * level + minimum`, where levels are
/// integers from 0 to `most`.
pub fn affine<const N: usize>(x: &[f32; N], most: f32) -> (f32, f32) {
    let least = x.iter().copied().fold(0.0, f32::min);
    let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    if largest <= least {
        return (0.0, least);
    }
    let sum: f32 = x.iter().sum();
    let count = N as f32;
    let mut best = (f32::INFINITY, 0.0, least);
    for at in -TRIES..=TRIES {
        let mut inverse = (most + STEP * f32::from(at)) / (largest - least);
        let mut minimum = least;
        if !inverse.is_finite() {
            return (0.0, least);
        }
        // The fit to the nearest levels has other nearest levels.
        for _ in 0..ROUNDS {
            let mut levels = [0.0; N];
            for (level, x) in levels.iter_mut().zip(x) {
                *level = ((x - minimum) * inverse).round_ties_even().clamp(0.0, most);
            }
            let fit = Fit::of(&levels, x);
            let determinant = count * fit.squares - fit.levels * fit.levels;
            let mut scale = (count * fit.products - fit.levels * sum) / determinant;
            minimum = (fit.squares * sum - fit.levels * fit.products) / determinant;
            // Equal levels have no determinant.
            if minimum > 0.0 || determinant <= 0.0 {
                (scale, minimum) = (fit.products / fit.squares, 0.0);
            }
            let mut error = 0.0;
            for (level, x) in levels.iter().zip(x) {
                let difference = scale * level + minimum - x;
                error += difference * difference;
            }
            if error < best.0 {
                best = (error, scale, minimum);
            }
            inverse = scale.recip();
            if !(inverse > 0.0 && inverse.is_finite()) {
                break;
            }
        }
    }
    (best.1, best.2)
}

/// The pair of integers between 0 and `most` with the least error among those next to two numbers.
pub fn rounded(numbers: [f32; 2], most: f32, error: impl Fn(f32, f32) -> f32) -> (f32, f32) {
    let near = |number: f32| [0.0, -1.0, 1.0].map(|by| (number.round() + by).clamp(0.0, most));
    let [firsts, seconds] = numbers.map(near);
    let mut best = (f32::INFINITY, firsts[0], seconds[0]);
    for first in firsts {
        for second in seconds {
            let error = error(first, second);
            if error < best.0 {
                best = (error, first, second);
            }
        }
    }
    (best.1, best.2)
}
