//! A platform's table of dot products, which compilations read.

use super::{
    Activity, DotClass, DotStrategy, DotTable, background, built_in, recompile::Recompilation,
};
use crate::{Platform, cache};
use hloom_graph::DType;
use hloom_kernels::{Isa, Pool, Workers};
use std::{
    collections::BTreeMap,
    env,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The maximum number of programs that are remembered to be compiled again.
const MAX_PROGRAMS: usize = 64;

/// The table of a platform, and the classes that its programs lacked. Compilations read the table
/// and never measure.
#[derive(Default)]
pub(crate) struct Chooser {
    state: Mutex<ChooserState>,
    /// Held by the thread that measures; no compilation waits for it.
    pub(super) measuring: Mutex<()>,
    activity: Activity,
}

#[derive(Default)]
pub(super) struct ChooserState {
    /// `None`: the table is that of the environment and the cache.
    given: Option<DotTable>,
    pub table: DotTable,
    /// Whether the kept table was read.
    is_read: bool,
    /// Whether the program has switched off measuring in the background.
    is_background_off: bool,
    /// Whether a thread waits for the time to measure.
    pub has_thread: bool,
    /// The classes that programs lacked, with the strategy that was used.
    pub missing: BTreeMap<DotClass, DotStrategy>,
    /// The classes of these that were measured, but are not yet in the table.
    pub measured: BTreeMap<DotClass, DotStrategy>,
    /// The programs that lacked them.
    pub programs: Vec<Recompilation>,
    /// The number of times that a class was lacking.
    lacked: u64,
    /// The number of times that the table was replaced.
    pub generation: u64,
}

impl Chooser {
    /// Replaces the table.
    pub fn set(&self, table: DotTable) {
        let mut state = self.state();
        *state = ChooserState {
            given: Some(table.clone()),
            table,
            is_background_off: state.is_background_off,
            has_thread: state.has_thread,
            lacked: state.lacked,
            generation: state.generation + 1,
            ..ChooserState::default()
        };
    }

    /// Whether classes may be measured in the background.
    pub fn set_background(&self, platform: &Platform, is_on: bool) {
        let mut state = self.state();
        state.is_background_off = !is_on;
        self.begin(platform, &mut state);
    }

    /// The table as it is now.
    pub fn table(&self) -> DotTable {
        self.state().table.clone()
    }

    /// The usage counters of the platform.
    pub fn activity(&self) -> &Activity {
        &self.activity
    }

    /// The number of times that a program lacked a class so far.
    pub fn lacked(&self) -> u64 {
        self.state().lacked
    }

    /// The strategy for a product of this many rows with a weight of this many elements. The plugin
    /// converts operands whose sums have their own narrow type: such products are not measured.
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
        if !has_wide_sums {
            return self.state().given.as_ref().and_then(|t| t.get(class)).unwrap_or(built_in);
        }
        self.read_kept(platform);
        let mut state = self.state();
        if let Some(strategy) = state.table.get(class) {
            return strategy;
        }
        if !state.is_fixed() {
            state.lacked += 1;
            if !state.measured.contains_key(&class) {
                state.missing.insert(class, built_in);
            }
        }
        built_in
    }

    /// Notes that a program was compiled while the table lacked classes, so that it is compiled
    /// again for the cache's folder.
    pub fn compiled(&self, platform: &Platform, again: Option<Recompilation>) {
        let mut state = self.state();
        if state.programs.len() < MAX_PROGRAMS && has_folder(platform) {
            state.programs.extend(again);
        }
        self.begin(platform, &mut state);
    }

    /// Starts the thread that measures, if there is something to do and it does not run.
    fn begin(&self, platform: &Platform, state: &mut ChooserState) {
        if !state.has_thread && !state.is_complete() && state.is_background_on(platform) {
            self.activity.count();
            state.has_thread = background::begin(platform);
        }
    }

    /// Adds the kept table to the platform's, once.
    fn read_kept(&self, platform: &Platform) {
        let state = self.state();
        if state.is_read || state.is_fixed() || !has_folder(platform) {
            return;
        }
        drop(state);
        let kept = read(platform);
        let mut state = self.state();
        state.is_read = true;
        for (class, strategy) in kept.iter().flat_map(DotTable::entries) {
            // Entries that were set by hand stay.
            state.table.entries.entry(class).or_insert(strategy);
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, ChooserState> {
        // A panic cannot leave a change of the table incomplete.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChooserState {
    /// Whether the table is fixed: set by the program or built in.
    fn is_fixed(&self) -> bool {
        match &self.given {
            Some(given) => !given.measures,
            None => environment_is("built-in"),
        }
    }

    /// Whether the program or the environment requested measurements, regardless of other load on
    /// the machine.
    pub fn is_asked(&self) -> bool {
        self.given.as_ref().map_or_else(|| environment_is("measure"), |given| given.measures)
    }

    /// Whether missing classes are measured in the background: by default if the result can be
    /// kept.
    pub fn is_background_on(&self, platform: &Platform) -> bool {
        let by_default = || !environment_is("kept") && has_folder(platform);
        !self.is_background_off && !self.is_fixed() && (self.is_asked() || by_default())
    }

    /// Whether nothing is left to measure or to compile.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.measured.is_empty() && self.programs.is_empty()
    }
}

fn environment_is(value: &str) -> bool {
    env::var_os("HLOOM_DOTS").is_some_and(|set| set == value)
}

fn has_folder(platform: &Platform) -> bool {
    platform.cache().is_some_and(|cache| cache.folder().is_some())
}

/// The table in the folder of the platform's cache.
pub(super) fn read(platform: &Platform) -> Option<DotTable> {
    let text = String::from_utf8(cache::read_note(platform, &key())?).ok()?;
    let table = text.parse();
    table.inspect_err(|error| tracing::warn!(%error, "the kept table is not used")).ok()
}

/// Replaces the table in the folder.
pub(super) fn keep(platform: &Platform, table: &DotTable) {
    cache::keep_note(platform, &key(), table.to_string().as_bytes());
}

/// All that measurements depend on besides the machine and the plugin.
fn key() -> String {
    let isa = Isa::selected().map_or("none", Isa::name);
    format!("dots 3 {isa} {}", Workers::get().threads())
}
