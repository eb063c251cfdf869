//! A platform's table of dot products, which grows as programs need it.

use super::{DotClass, DotStrategy, DotTable, built_in, measure::measure};
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
/// A measured strategy takes the place of the built-in one if it is faster by this factor.
const FASTER: f64 = 0.97;

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

    /// How a product of this many rows with a weight of this many elements is computed.
    pub fn choose(
        &self,
        platform: &Platform,
        dtype: DType,
        rows: usize,
        weight: usize,
    ) -> DotStrategy {
        let built_in = built_in(Isa::selected().ok(), dtype, rows, weight);
        let Some(class) = DotClass::of(dtype, rows, weight) else { return built_in };
        // Programs that are compiled meanwhile wait, so that they do not disturb the measurement.
        let mut state = self.state();
        state.decide(platform, class, built_in)
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
                let strategy = fastest(&measured, built_in);
                tracing::info!(%class, strategy = strategy.name(), ?measured, "dot products");
                strategy
            }
            Err(error) => {
                tracing::warn!(%class, %error, "dot products cannot be measured");
                return built_in;
            }
        };
        self.table.entries.insert(class, strategy);
        cache::keep_note(platform, &key(), self.table.to_string().as_bytes());
        strategy
    }

    /// Whether a class that is not in the table is measured: by default if the result can be kept,
    /// so that a process that comes and goes does not pay for it.
    fn measures(&self, platform: &Platform) -> bool {
        if let Some(given) = &self.given {
            return given.measures;
        }
        match env::var("HLOOM_DOTS").as_deref() {
            Ok("measure") => true,
            Ok("built-in") => false,
            _ => platform.cache().is_some_and(|cache| cache.folder().is_some()),
        }
    }
}

/// The built-in strategy, unless another is clearly faster.
fn fastest(measured: &[(DotStrategy, f64)], built_in: DotStrategy) -> DotStrategy {
    let best = measured.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let own = measured.iter().find(|(strategy, _)| *strategy == built_in);
    match (best, own) {
        (Some((best, seconds)), Some((_, own))) if *seconds < FASTER * own => *best,
        (Some((best, _)), None) => *best,
        _ => built_in,
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
    format!("dots 1 {isa} {}", Workers::get().threads())
}

#[cfg(test)]
mod tests {
    use super::*;
    use DotStrategy::{Kernel, Plugin, PluginColumns};

    #[test]
    fn another_strategy_is_chosen_only_if_it_is_clearly_faster() {
        assert_eq!(fastest(&[(Kernel, 1.0), (Plugin, 0.98)], Kernel), Kernel);
        assert_eq!(fastest(&[(Kernel, 1.0), (Plugin, 0.96)], Kernel), Plugin);
        let three = [(Kernel, 1.0), (Plugin, 0.9), (PluginColumns, 0.8)];
        assert_eq!(fastest(&three, Kernel), PluginColumns);
        assert_eq!(fastest(&three, PluginColumns), PluginColumns);
        // The built-in one was hopeless.
        assert_eq!(fastest(&[(Plugin, 1.0)], Kernel), Plugin);
        assert_eq!(fastest(&[], Kernel), Kernel);
    }
}
