//! Frequencies of rotary embeddings, computed on the host in `f64`.
//!
//! ```
//! use hloom_nn::{RopeConfig, RopeScaling};
//!
//! let rope = RopeConfig { dim: 64, theta: 10_000.0, scaling: RopeScaling::Linear { factor: 4.0 } };
//! assert_eq!(rope.inverse_frequencies()[0], 0.25);
//! let (cos, sin) = rope.tables(128);
//! assert_eq!((cos.len(), cos[0], sin[0]), (128 * 32, 1.0, 0.0));
//! ```

use std::f64::consts::TAU;

/// How positions turn into angles.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeConfig {
    /// Elements of a head that are rotated, an even number.
    pub dim: usize,
    /// The base of the frequencies.
    pub theta: f64,
    /// What stretches the frequencies to contexts longer than the model was first trained on.
    pub scaling: RopeScaling,
}

/// Ways to stretch frequencies, named as checkpoints name them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RopeScaling {
    /// None.
    Default,
    /// All frequencies divided by `factor`.
    Linear {
        /// How many times longer the context is.
        factor: f64,
    },
    /// The base grows with the length of the text, once it passes `positions`
    /// ([description](https://arxiv.org/abs/2309.00071), section 3.2).
    Dynamic {
        /// How fast the base grows.
        factor: f64,
        /// The length from which on it grows.
        positions: usize,
    },
    /// Low frequencies divided by `factor`, high ones kept, a smooth passage between
    /// ([Llama 3](https://arxiv.org/abs/2407.21783), section 3.2).
    Llama3 {
        /// How many times longer the context is.
        factor: f64,
        /// Turns over the original context below which a frequency is low.
        low_freq_factor: f64,
        /// Turns over the original context above which a frequency is high.
        high_freq_factor: f64,
        /// The original context.
        positions: usize,
    },
    /// As above with a linear passage between two counts of turns, and a factor on the attention's products
    /// ([Peng et al. 2023](https://arxiv.org/abs/2309.00071)).
    Yarn {
        /// How many times longer the context is.
        factor: f64,
        /// What cosines and sines are multiplied by.
        attention_factor: f64,
        /// Turns over the original context above which a frequency is kept.
        beta_fast: f64,
        /// Turns over the original context below which a frequency is divided.
        beta_slow: f64,
        /// The original context.
        positions: usize,
        /// Whether the passage starts and ends at whole indices.
        truncate: bool,
    },
}

impl RopeConfig {
    /// Angles per position of the `dim / 2` pairs. For `Dynamic` those of texts that have not passed its length.
    pub fn inverse_frequencies(&self) -> Vec<f64> {
        let plain = (0..self.dim / 2).map(|i| self.theta.powf(-(2.0 * i as f64) / self.dim as f64));
        match self.scaling {
            RopeScaling::Default | RopeScaling::Dynamic { .. } => plain.collect(),
            RopeScaling::Linear { factor } => plain.map(|frequency| frequency / factor).collect(),
            RopeScaling::Llama3 {
                factor,
                low_freq_factor,
                high_freq_factor,
                positions,
            } => {
                let scaled = |frequency: f64| {
                    let turns = positions as f64 * frequency / TAU;
                    let kept = (turns - low_freq_factor) / (high_freq_factor - low_freq_factor);
                    // Equal bounds leave no passage: both comparisons come before the quotient is used.
                    match turns {
                        _ if turns < low_freq_factor => frequency / factor,
                        _ if turns > high_freq_factor => frequency,
                        _ => mix(frequency / factor, frequency, kept),
                    }
                };
                plain.map(scaled).collect()
            }
            RopeScaling::Yarn {
                factor,
                beta_fast,
                beta_slow,
                positions,
                truncate,
                ..
            } => {
                let index_of =
                    |turns: f64| self.dim as f64 * (positions as f64 / (turns * TAU)).ln() / (2.0 * self.theta.ln());
                let (mut low, mut high) = (index_of(beta_fast), index_of(beta_slow));
                if truncate {
                    (low, high) = (low.floor(), high.ceil());
                }
                low = low.max(0.0);
                high = high.min(self.dim as f64 - 1.0);
                if low == high {
                    high += 0.001;
                }
                let scaled = |(i, frequency): (usize, f64)| {
                    let divided = ((i as f64 - low) / (high - low)).clamp(0.0, 1.0);
                    mix(frequency, frequency / factor, divided)
                };
                plain.enumerate().map(scaled).collect()
            }
        }
    }

    /// What cosines and sines are multiplied by; 1 but for `Yarn`.
    pub fn attention_factor(&self) -> f64 {
        match self.scaling {
            RopeScaling::Yarn { attention_factor, .. } => attention_factor,
            _ => 1.0,
        }
    }

    /// Cosines and sines of the angles of the first `positions` positions, each `[positions, dim / 2]` in row-major order.
    pub fn tables(&self, positions: usize) -> (Vec<f32>, Vec<f32>) {
        let frequencies = self.inverse_frequencies();
        let factor = self.attention_factor();
        let angle = |i: usize| (i / frequencies.len()) as f64 * frequencies[i % frequencies.len()];
        let all = 0..positions * frequencies.len();
        all.map(|i| angle(i).sin_cos())
            .map(|(sin, cos)| ((cos * factor) as f32, (sin * factor) as f32))
            .unzip()
    }
}

fn mix(from: f64, to: f64, share: f64) -> f64 {
    from * (1.0 - share) + to * share
}
