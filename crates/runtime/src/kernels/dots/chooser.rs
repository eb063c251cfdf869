//! A platform's table of dot products, which grows as programs need it.

use super::{
    DotClass, DotStrategy, DotTable, built_in,
    measure::{Measurement, READING_ROWS, measure},
};
use crate::{Platform, cache};
use hloom_graph::DType;
use hloom_kernels::{Isa, Pool, Workers};
use std::{
    env,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The time that a process spends on measuring; what is needed later is computed as the built-in
/// table says, and measured by the next process.
const BUDGET: Duration = Duration::from_secs(2);
/// A measured strategy takes the place of the built-in one if it is faster by this factor in the
/// median of the rounds, and faster in as large a part of them as [`OFTEN`].
const FASTER: f64 = 0.97;
/// The factor for the rows for which reading the weight takes part of the time: a model reads it
/// from memory, and the kernels prefetch it, but a large cache may hold all that is measured.
const FASTER_FROM_CACHE: f64 = 0.9;
const OFTEN: f64 = 0.75;

/// The table of a platform.
#[derive(Default)]
pub(crate) struct Chooser(Mutex<State>);

#[derive(Default)]
struct State {
    /// `None`: as the environment and the cache say.
    given: Option<DotTable>,
    table: DotTable,
    /// Whether the kept table was read.
    is_read: bool,
    spent: Duration,
    /// What was measured while others used the machine: for this process alone.
    unsure: Vec<DotClass>,
}

impl Chooser {
    /// Replaces the table.
    pub fn set(&self, table: DotTable) {
        *self.state() = State { given: Some(table.clone()), table, ..State::default() };
    }

    /// The table as it is now.
    pub fn table(&self) -> DotTable {
        self.state().table.clone()
    }

    /// How a product of this many rows with a weight of this many elements is computed. The
    /// plugin converts operands whose sums have their own narrow type: of these nothing is
    /// measured.
    pub fn choose(
        &self,
        platform: &Platform,
        (dtype, sums): (DType, DType),
        rows: usize,
        weight: usize,
    ) -> DotStrategy {
        let isa = Isa::selected().ok();
        let has_wide_sums = sums == DType::F32;
        let has_tiles = has_wide_sums && hloom_kernels::has_bf16_tiles();
        let built_in = built_in(isa, has_tiles, dtype, rows, weight);
        let Some(class) = DotClass::of(dtype, rows, weight) else { return built_in };
        // Programs that are compiled meanwhile wait, so that they do not disturb the measurement.
        let mut state = self.state();
        match has_wide_sums {
            true => state.decide(platform, class, built_in),
            false => state.given.as_ref().and_then(|t| t.get(class)).unwrap_or(built_in),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change of the table is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn decide(
        &mut self,
        platform: &Platform,
        class: DotClass,
        built_in: DotStrategy,
    ) -> DotStrategy {
        if let Some(strategy) = self.table.get(class) {
            return strategy;
        }
        if !self.measures(platform) {
            return built_in;
        }
        if !std::mem::replace(&mut self.is_read, true)
            && let Some(kept) = read(platform)
        {
            // What was set by hand stays.
            for (class, strategy) in kept.entries() {
                self.table.entries.entry(class).or_insert(strategy);
            }
            if let Some(strategy) = self.table.get(class) {
                return strategy;
            }
        }
        if self.spent > BUDGET {
            return built_in;
        }
        let begin = Instant::now();
        let measured = measure(platform, class);
        self.spent += begin.elapsed();
        let strategy = match measured {
            Ok(measured) => {
                let reads = class.rows <= READING_ROWS;
                let factor = if reads { FASTER_FROM_CACHE } else { FASTER };
                let strategy = fastest(&measured.turns, built_in, factor);
                let Measurement { turns, is_quiet } = measured;
                let name = strategy.name();
                tracing::info!(%class, strategy = name, is_quiet, ?turns, "dot products");
                match is_quiet || self.is_asked() {
                    true => strategy,
                    false => {
                        self.unsure.push(class);
                        built_in
                    }
                }
            }
            Err(error) => {
                tracing::warn!(%class, %error, "dot products cannot be measured");
                return built_in;
            }
        };
        self.table.entries.insert(class, strategy);
        let mut kept = self.table.clone();
        kept.entries.retain(|class, _| !self.unsure.contains(class));
        cache::keep_note(platform, &key(), kept.to_string().as_bytes());
        strategy
    }

    /// Whether somebody asked for measurements, whatever else the machine does.
    fn is_asked(&self) -> bool {
        match &self.given {
            Some(given) => given.measures,
            None => env::var("HLOOM_DOTS").is_ok_and(|value| value == "measure"),
        }
    }

    /// Whether a class that is not in the table is measured: by default if the result can be kept,
    /// so that a process that comes and goes does not pay for it.
    fn measures(&self, platform: &Platform) -> bool {
        let by_default = || {
            self.given.is_none()
                && env::var_os("HLOOM_DOTS").is_none_or(|value| value != "built-in")
                && platform.cache().is_some_and(|cache| cache.folder().is_some())
        };
        self.is_asked() || by_default()
    }
}

/// The built-in strategy, unless another is faster by a factor. Times are compared round by round,
/// since other work on the machine slows down all strategies of a round alike.
fn fastest(
    measured: &[(DotStrategy, Vec<f64>)],
    built_in: DotStrategy,
    factor: f64,
) -> DotStrategy {
    let own = measured.iter().find(|(strategy, _)| *strategy == built_in).map(|(_, own)| own);
    let Some(own) = own else {
        let best = measured.iter().min_by(|a, b| median(&a.1).total_cmp(&median(&b.1)));
        return best.map_or(built_in, |(strategy, _)| *strategy);
    };
    let faster = measured.iter().filter_map(|(strategy, turns)| {
        let ratios: Vec<f64> = turns.iter().zip(own).map(|(turn, own)| turn / own).collect();
        let often = ratios.iter().filter(|ratio| **ratio < 1.0).count() as f64;
        let ratio = median(&ratios);
        (ratio < factor && often >= OFTEN * ratios.len() as f64).then_some((*strategy, ratio))
    });
    faster.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(built_in, |(strategy, _)| strategy)
}

/// The median; of an even number of values, the mean of the two in the middle.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let [low, high] = [sorted.len().saturating_sub(1) / 2, sorted.len() / 2];
    match sorted.is_empty() {
        true => f64::INFINITY,
        false => sorted[low].midpoint(sorted[high]),
    }
}

fn read(platform: &Platform) -> Option<DotTable> {
    let text = String::from_utf8(cache::read_note(platform, &key())?).ok()?;
    let table = text.parse();
    table.inspect_err(|error| tracing::warn!(%error, "the kept table is not used")).ok()
}

/// What the measurements depend on besides the machine and the plugin.
fn key() -> String {
    let isa = Isa::selected().map_or("none", Isa::name);
    format!("dots 3 {isa} {}", Workers::get().threads())
}

#[cfg(test)]
mod tests {
    use super::*;
    use DotStrategy::{Kernel, Plugin, PluginColumns};

    #[test]
    fn another_strategy_is_chosen_only_if_it_is_clearly_faster() {
        let fastest = |measured: &[(DotStrategy, f64)], built_in| {
            // Other work slows down some rounds.
            let turns = |&(strategy, seconds): &(DotStrategy, f64)| {
                (strategy, vec![seconds, 2.0 * seconds, 1.1 * seconds, seconds])
            };
            fastest(&measured.iter().map(turns).collect::<Vec<_>>(), built_in, FASTER)
        };
        assert_eq!(fastest(&[(Kernel, 1.0), (Plugin, 0.98)], Kernel), Kernel);
        assert_eq!(fastest(&[(Kernel, 1.0), (Plugin, 0.96)], Kernel), Plugin);
        let three = [(Kernel, 1.0), (Plugin, 0.9), (PluginColumns, 0.8)];
        assert_eq!(fastest(&three, Kernel), PluginColumns);
        assert_eq!(fastest(&three, PluginColumns), PluginColumns);
        // The built-in one was hopeless.
        assert_eq!(fastest(&[(Plugin, 1.0), (PluginColumns, 1.1)], Kernel), Plugin);
        assert_eq!(fastest(&[], Kernel), Kernel);
        let compared = |own: &[f64], other: &[f64], factor| {
            let measured = [(Kernel, own.to_vec()), (Plugin, other.to_vec())];
            super::fastest(&measured, Kernel, factor)
        };
        // Faster once is not faster.
        assert_eq!(compared(&[1.0; 4], &[0.5, 1.1, 1.1, 1.1], FASTER), Kernel);
        // Nor is a little, where a cache may have helped.
        assert_eq!(compared(&[1.0; 4], &[0.92; 4], FASTER_FROM_CACHE), Kernel);
        // The best turns do not count: this one was in a slow round.
        assert_eq!(compared(&[1.0, 2.0, 3.0, 4.0], &[1.1, 1.9, 2.8, 3.7], FASTER), Plugin);
    }
}
