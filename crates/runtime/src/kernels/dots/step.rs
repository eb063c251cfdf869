//! Filling a platform's table: measuring the classes that programs lacked, and compiling these
//! programs again.

use super::{
    Chooser, DotClass, DotStrategy, DotTable, chooser,
    fastest::fastest,
    measure::{READING_ROWS, measure},
};
use crate::{Platform, Result};
use std::{collections::BTreeMap, mem, sync::PoisonError};

/// A measured strategy replaces the built-in one if its time is at most this factor of the built-in
/// one's in the median of the rounds, and it is faster in most of them.
const FASTER: f64 = 0.97;
/// The factor for the rows for which reading the weight takes part of the time: a model reads the
/// weight from memory, and the kernels prefetch it, but a large cache may hold all weights of the
/// measurement.
const FASTER_FROM_CACHE: f64 = 0.9;

/// The conditions of a measurement of classes.
pub(super) struct Terms<'a> {
    /// Whether to continue; called every few milliseconds.
    pub goes_on: &'a dyn Fn() -> bool,
    /// Whether a measurement that other processes disturbed is accepted.
    pub accepts_noise: bool,
}

impl Chooser {
    /// Measures the missing classes on this thread, whatever else the machine does.
    ///
    /// # Errors
    /// The first of a class or a program; the others are measured and compiled.
    pub fn measure(&self, platform: &Platform) -> Result<()> {
        // Interrupts a measurement in the background.
        self.activity().compilation();
        self.step(platform, &Terms { goes_on: &|| true, accepts_noise: true })
    }

    /// Measures the missing classes, compiles the programs that lacked them, and then adds the
    /// classes to the table and to that of the cache's folder: a process that reads the table there
    /// finds the programs, too. If a step is interrupted, the next one does the rest.
    pub(super) fn step(&self, platform: &Platform, terms: &Terms<'_>) -> Result<()> {
        let _measuring = self.measuring.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = self.state().generation;
        // The program may set another table meanwhile, to which these classes do not belong.
        let goes_on = || (terms.goes_on)() && self.state().generation == generation;
        let terms = Terms { goes_on: &goes_on, ..*terms };
        let mut outcome = Ok(());
        while goes_on() {
            outcome = outcome.and(self.measure_classes(platform, &terms));
            let table = self.table_with_measured();
            outcome = outcome.and(self.compile_programs(platform, table, &terms));
            let mut state = self.state();
            // Programs that were compiled meanwhile may lack more.
            let is_done = state.missing.is_empty() && state.programs.is_empty();
            if is_done && state.generation == generation {
                let measured = mem::take(&mut state.measured);
                state.table.extend(&measured);
                drop(state);
                add_to_kept(platform, &measured);
                break;
            }
        }
        outcome
    }

    fn table_with_measured(&self) -> DotTable {
        let state = self.state();
        let mut table = DotTable { measures: false, ..state.table.clone() };
        table.extend(&state.measured);
        table
    }

    fn compile_programs(
        &self,
        platform: &Platform,
        table: DotTable,
        terms: &Terms<'_>,
    ) -> Result<()> {
        let sibling = Platform::from_client(platform.client().clone());
        sibling.set_cache(platform.cache());
        sibling.set_dot_table(table);
        let next = || self.state().programs.pop();
        let mut outcome = Ok(());
        while (terms.goes_on)()
            && let Some(program) = next()
        {
            outcome = outcome.and(program.run(&sibling));
        }
        outcome
    }

    fn measure_classes(&self, platform: &Platform, terms: &Terms<'_>) -> Result<()> {
        // Another process may have measured the classes since this one began.
        let kept = chooser::read(platform).unwrap_or_default();
        let next = || self.state().missing.first_key_value().map(|(class, own)| (*class, *own));
        let mut outcome = Ok(());
        while let Some((class, built_in)) = next() {
            let found = match kept.get(class) {
                Some(strategy) => Ok(Some(strategy)),
                None => measured(platform, class, built_in, terms),
            };
            if !(terms.goes_on)() {
                break;
            }
            let mut state = self.state();
            state.missing.remove(&class);
            match found {
                Ok(strategy) => state.measured.extend(strategy.map(|strategy| (class, strategy))),
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        outcome
    }
}

/// Adds classes to the table in the folder of the platform's cache.
fn add_to_kept(platform: &Platform, classes: &BTreeMap<DotClass, DotStrategy>) {
    if !classes.is_empty() {
        let mut kept = chooser::read(platform).unwrap_or_default();
        kept.extend(classes);
        chooser::keep(platform, &kept);
    }
}

/// The fastest strategy of a class; `None` if it was not found undisturbed.
fn measured(
    platform: &Platform,
    class: DotClass,
    built_in: DotStrategy,
    terms: &Terms<'_>,
) -> Result<Option<DotStrategy>> {
    let Some(found) = measure(platform, class, terms.goes_on)? else { return Ok(None) };
    let factor = if class.rows <= READING_ROWS { FASTER_FROM_CACHE } else { FASTER };
    let strategy = fastest(&found.turns, built_in, factor);
    let (name, is_quiet, turns) = (strategy.name(), found.is_quiet, &found.turns);
    tracing::info!(%class, strategy = name, is_quiet, ?turns, "dot products");
    Ok((is_quiet || terms.accepts_noise).then_some(strategy))
}
