//! Measurements in rounds that alternate with a peer.

use super::{
    model::Case,
    runner::{Reading, Runner},
};
use crate::{
    Result,
    peer::Peer,
    results::{Better, Measurement, Results},
};
use std::time::Duration;

/// The measurements of a round, of which the median counts.
const REPEATS: usize = 5;
/// The speed that is expected at least, compared with the peer's.
const TARGET: f64 = 0.97;

/// A statistic of times.
type Pick = fn(&[f64]) -> f64;

/// The suffixes of rows, and what they report of the times: the slowest round has the lowest speed.
const PICKS: [(&str, Pick); 3] = [("", median), ("/min", largest), ("/max", smallest)];

/// Seconds of each measurement, one of each for every round.
#[derive(Default)]
pub struct Times {
    pub prefill: Vec<f64>,
    /// Times of all steps, waiting once for the last one.
    pub decode: Vec<f64>,
    /// Times of all steps, reading each token.
    pub decode_read: Vec<f64>,
}

impl Times {
    /// Adds a round of this process.
    ///
    /// # Errors
    /// A call fails.
    pub fn add_own(&mut self, runner: &mut Runner) -> Result {
        let mut repeated = |name: &str, measure: fn(&mut Runner) -> Result<f64>| -> Result<f64> {
            let times: Result<Vec<f64>> = (0..REPEATS).map(|_| measure(runner)).collect();
            let times = times?;
            println!("own: {name}: {times:.6?}");
            Ok(median(&times))
        };
        self.prefill.push(repeated("prefill", Runner::prefill)?);
        self.decode.push(repeated("decode", |runner| runner.decode(Reading::AtTheEnd))?);
        self.decode_read.push(repeated("decode_read", |runner| runner.decode(Reading::EachStep))?);
        Ok(())
    }

    /// Adds a round of a peer.
    ///
    /// # Errors
    /// The peer fails, or does not answer within the limit.
    pub fn add_of(&mut self, peer: &mut Peer, limit: Duration) -> Result {
        let lists = [
            ("prefill", &mut self.prefill),
            ("decode", &mut self.decode),
            ("decode_read", &mut self.decode_read),
        ];
        for (name, times) in lists {
            times.push(peer.number(&format!("{name} {REPEATS}"), "seconds", limit)?);
        }
        Ok(())
    }

    /// Writes the median of the rounds, and the slowest and fastest one, in tokens per second, next
    /// to those of a peer.
    ///
    /// # Errors
    /// The file of results cannot be written.
    pub fn report(&self, peer: &Times, case: &Case, results: &mut Results) -> Result {
        let prefill = format!("prefill_{}", case.prompt);
        let rows = [
            ("decode", case.steps * case.batch, &self.decode, &peer.decode),
            ("decode_read", case.steps * case.batch, &self.decode_read, &peer.decode_read),
            (&*prefill, case.prompt * case.batch, &self.prefill, &peer.prefill),
        ];
        for (name, tokens, own, other) in rows {
            let speed = |seconds: f64| tokens as f64 / seconds;
            for (suffix, pick) in PICKS {
                results.measure(&Measurement {
                    bench: &format!("gpu/{}/{name}{suffix}", case.name),
                    value: speed(pick(own)),
                    unit: "tokens/s",
                    reference: (!other.is_empty()).then(|| speed(pick(other))),
                    target: suffix.is_empty().then_some((Better::Higher, TARGET)),
                })?;
            }
        }
        Ok(())
    }
}

/// The middle value.
pub fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn largest(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn smallest(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}
