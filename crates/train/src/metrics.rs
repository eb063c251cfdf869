//! Numbers that sum up a run, on the host.

use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// A weighted mean, such as the loss over a held-out set or the fraction of right answers.
///
/// ```
/// use hloom_train::Mean;
///
/// let mut loss = Mean::default();
/// loss.add(2.0, 3.0); // the mean of three tokens
/// loss.add(4.0, 1.0);
/// assert_eq!(loss.value(), Some(2.5));
///
/// let mut accuracy = Mean::default();
/// for (predicted, label) in [(3, 3), (1, 7), (5, 5), (2, 2)] {
///     accuracy.count(predicted == label);
/// }
/// assert_eq!(accuracy.value(), Some(0.75));
/// ```
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    /// Adds a number with a weight. A number of weight 0 changes nothing, even if it is NaN, like
    /// the mean loss of a batch without tokens.
    pub fn add(&mut self, number: f64, weight: f64) {
        if weight != 0.0 {
            self.sum += number * weight;
            self.weight += weight;
        }
    }

    /// Adds 1 if an answer is right, else 0: the mean is the accuracy.
    pub fn count(&mut self, is_right: bool) {
        self.add(f64::from(u8::from(is_right)), 1.0);
    }

    /// Adds the numbers of another mean.
    pub fn merge(&mut self, other: Mean) {
        self.sum += other.sum;
        self.weight += other.weight;
    }

    /// The mean; `None` if nothing was added.
    pub fn value(&self) -> Option<f64> {
        (self.weight != 0.0).then(|| self.sum / self.weight)
    }
}

/// An exponential moving mean, for showing a noisy loss. Its first values are not biased to zero:
/// the mean is divided by the total weight of the numbers so far.
///
/// ```
/// use hloom_train::Smoothed;
///
/// let mut loss = Smoothed::new(0.5);
/// assert_eq!(loss.add(4.0), 4.0);
/// assert_eq!(loss.add(1.0), 2.0); // (0.5 * 4 + 1) / (0.5 + 1)
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Smoothed {
    factor: f64,
    sum: f64,
    weight: f64,
}

impl Smoothed {
    /// A mean in which each number counts `factor` times as much as the one after it.
    ///
    /// # Panics
    /// The factor is not from 0 to 1, exclusive.
    pub fn new(factor: f64) -> Smoothed {
        assert!((0.0..1.0).contains(&factor), "a factor of {factor}");
        Smoothed { factor, sum: 0.0, weight: 0.0 }
    }

    /// Adds a number and returns the mean.
    pub fn add(&mut self, number: f64) -> f64 {
        self.sum = self.factor * self.sum + number;
        self.weight = self.factor * self.weight + 1.0;
        self.sum / self.weight
    }

    /// The mean; `None` if nothing was added.
    pub fn value(&self) -> Option<f64> {
        (self.weight != 0.0).then(|| self.sum / self.weight)
    }
}

/// A count per second, such as of tokens.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    start: Instant,
    count: u64,
}

impl Rate {
    /// Starts the time, with a count of 0.
    pub fn start() -> Rate {
        Rate { start: Instant::now(), count: 0 }
    }

    /// Adds to the count.
    pub fn add(&mut self, count: u64) {
        self.count = self.count.saturating_add(count);
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The count per second since the start.
    pub fn per_second(&self) -> f64 {
        // The clock may not have advanced since the start.
        self.count as f64 / self.elapsed().as_secs_f64().max(1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_of_parts_are_the_mean_of_the_whole() {
        let numbers: Vec<f64> = (0..10).map(|i| f64::from(i * i)).collect();
        let mean_of = |numbers: &[f64]| {
            let mut mean = Mean::default();
            numbers.iter().for_each(|&number| mean.add(number, 1.0));
            mean
        };
        for at in 0..=10 {
            let mut merged = mean_of(&numbers[..at]);
            merged.merge(mean_of(&numbers[at..]));
            assert_eq!(merged.value(), Some(28.5));
        }
        assert_eq!(Mean::default().value(), None);
    }

    #[test]
    fn what_has_no_weight_is_not_in_the_mean() {
        let mut mean = Mean::default();
        mean.add(f64::NAN, 0.0);
        assert_eq!(mean.value(), None);
        mean.add(3.0, 2.0);
        assert_eq!(mean.value(), Some(3.0));
        mean.add(f64::NAN, 1.0);
        assert!(mean.value().is_some_and(f64::is_nan));
    }

    #[test]
    fn a_smoothed_constant_is_that_constant() {
        let mut smoothed = Smoothed::new(0.9);
        assert_eq!(smoothed.value(), None);
        (0..50).for_each(|_| assert!((smoothed.add(7.0) - 7.0).abs() < 1e-12));
        (0..200).for_each(|_| _ = smoothed.add(1.0));
        assert!((smoothed.value().unwrap() - 1.0).abs() < 1e-6);
    }
}
