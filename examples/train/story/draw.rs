//! Random choices.

use fastrand::Rng;

/// One of several values, all with the same probability.
pub fn pick<'a, T>(random: &mut Rng, values: &'a [T]) -> &'a T {
    &values[random.usize(..values.len())]
}

/// Whether something of this probability happens.
pub fn happens(random: &mut Rng, probability: f64) -> bool {
    random.f64() < probability
}
