//! Frequencies of rotary embeddings, computed on the host in `f64`.
//!
//! ```
//! use hloom_nn::{RopeConfig, RopeScaling};
//!
//! let scaling = RopeScaling::Linear { factor: 4.0 };
//! let rope = RopeConfig { dim: 64, theta: 10_000.0, scaling };
//! assert_eq!(rope.inverse_frequencies()[0], 0.25);
//! let (cos, sin) = rope.tables(128);
//! assert_eq!((cos.len(), cos[0], sin[0]), (128 * 32, 1.0, 0.0));
//! ```

use std::f64::consts::TAU;

/// The mapping of positions to angles.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeConfig {
    /// The number of rotated elements of a head, an even number.
    pub dim: usize,
    /// The base of the frequencies.
    pub theta: f64,
    /// The scaling of the frequencies for contexts longer than in the first training.
    pub scaling: RopeScaling,
}

/// Scalings of the frequencies, named as in checkpoints.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RopeScaling {
    /// No scaling.
    Default,
    /// All frequencies divided by `factor`.
    Linear {
        /// The ratio of the new context length to the original one.
        factor: f64,
    },
    /// The base grows with the length of the text beyond `positions`
    /// ([description](https://arxiv.org/abs/2309.00071), section 3.2).
    Dynamic {
        /// The growth factor of the base.
        factor: f64,
        /// The length beyond which the base grows.
        positions: usize,
    },
    /// Low frequencies divided by `factor`, high ones kept, with a smooth transition ([Llama
    /// 3](https://arxiv.org/abs/2407.21783), section 3.2).
    Llama3 {
        /// The ratio of the new context length to the original one.
        factor: f64,
        /// Rotations over the original context below which a frequency is low.
        low_freq_factor: f64,
        /// Rotations over the original context above which a frequency is high.
        high_freq_factor: f64,
        /// The original context length.
        positions: usize,
    },
    /// As above with a linear transition between two numbers of rotations, and a factor on the
    /// attention logits ([Peng et al. 2023](https://arxiv.org/abs/2309.00071)).
    Yarn {
        /// The ratio of the new context length to the original one.
        factor: f64,
        /// The factor on cosines and sines.
        attention_factor: f64,
        /// Rotations over the original context above which a frequency is kept.
        beta_fast: f64,
        /// Rotations over the original context below which a frequency is divided.
        beta_slow: f64,
        /// The original context length.
        positions: usize,
        /// Whether the transition starts and ends at whole indices.
        truncate: bool,
    },
    /// Each frequency divided by a factor of its own, and a factor on the attention logits
    /// ([Ding et al. 2024](https://arxiv.org/abs/2402.13753)). Checkpoints have two lists: one for
    /// texts up to the original context length, one for longer ones.
    LongRope {
        /// The divisor of each of the `dim / 2` frequencies.
        factors: Vec<f64>,
        /// The factor on cosines and sines.
        attention_factor: f64,
    },
}

impl RopeConfig {
    /// The angles per position of the `dim / 2` pairs. For `Dynamic` those of texts up to its
    /// length.
    pub fn inverse_frequencies(&self) -> Vec<f64> {
        let plain = (0..self.dim / 2).map(|i| self.theta.powf(-(2.0 * i as f64) / self.dim as f64));
        match self.scaling {
            RopeScaling::Default | RopeScaling::Dynamic { .. } => plain.collect(),
            RopeScaling::Linear { factor } => plain.map(|frequency| frequency / factor).collect(),
            RopeScaling::LongRope { ref factors, .. } => {
                let factors = factors.iter().copied().chain(std::iter::repeat(1.0));
                plain.zip(factors).map(|(frequency, factor)| frequency / factor).collect()
            }
            RopeScaling::Llama3 { factor, low_freq_factor, high_freq_factor, positions } => {
                let scaled = |frequency: f64| {
                    let turns = positions as f64 * frequency / TAU;
                    let kept = (turns - low_freq_factor) / (high_freq_factor - low_freq_factor);
                    // With equal bounds there is no transition: both comparisons come before the
                    // quotient is used.
                    match turns {
                        _ if turns < low_freq_factor => frequency / factor,
                        _ if turns > high_freq_factor => frequency,
                        _ => mix(frequency / factor, frequency, kept),
                    }
                };
                plain.map(scaled).collect()
            }
            RopeScaling::Yarn { factor, beta_fast, beta_slow, positions, truncate, .. } => {
                let index_of = |turns: f64| {
                    self.dim as f64 * (positions as f64 / (turns * TAU)).ln()
                        / (2.0 * self.theta.ln())
                };
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

    /// The factor on cosines and sines; 1 except for `Yarn` and `LongRope`.
    pub fn attention_factor(&self) -> f64 {
        match self.scaling {
            RopeScaling::Yarn { attention_factor, .. }
            | RopeScaling::LongRope { attention_factor, .. } => attention_factor,
            _ => 1.0,
        }
    }

    /// Cosines and sines of the angles of the first `positions` positions, each `[positions, dim /
    /// 2]` in row-major order.
    pub fn tables(&self, positions: usize) -> (Vec<f32>, Vec<f32>) {
        let (cos, sin) = self.wide_tables(positions);
        let narrow = |table: Vec<f64>| table.into_iter().map(|value| value as f32).collect();
        (narrow(cos), narrow(sin))
    }

    /// As [`tables`](Self::tables), in `f64`.
    pub fn wide_tables(&self, positions: usize) -> (Vec<f64>, Vec<f64>) {
        let frequencies = self.inverse_frequencies();
        let factor = self.attention_factor();
        let angle = |i: usize| (i / frequencies.len()) as f64 * frequencies[i % frequencies.len()];
        let all = 0..positions * frequencies.len();
        all.map(|i| angle(i).sin_cos()).map(|(sin, cos)| (cos * factor, sin * factor)).unzip()
    }
}

fn mix(from: f64, to: f64, share: f64) -> f64 {
    from * (1.0 - share) + to * share
}
