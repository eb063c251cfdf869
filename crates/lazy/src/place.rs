//! The state that lazy tensors of one platform share: compiled programs, counters, limits.

use crate::programs::Programs;
use hloom_runtime::Platform;
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

/// The lazy tensors of a platform.
pub(crate) struct LazyPlatform {
    pub platform: Platform,
    pub programs: Programs,
    pub counters: Counters,
    pub nodes: AtomicUsize,
    pub bytes: AtomicUsize,
}

#[derive(Default)]
pub(crate) struct Counters {
    pub hits: AtomicU64,
    pub misses: AtomicU64,
    pub compile_nanoseconds: AtomicU64,
    pub runs: AtomicU64,
    pub cuts: AtomicU64,
}

/// Statistics of the lazy tensors of a platform.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct LazyStats {
    /// Realizations that found a compiled program.
    pub hits: u64,
    /// Programs that were compiled.
    pub misses: u64,
    /// The time spent compiling.
    pub compile_time: Duration,
    /// Programs that were run.
    pub runs: u64,
    /// Pending graphs that were run because they reached a limit.
    pub cuts: u64,
    /// Programs that are kept.
    pub programs: usize,
}

/// The size at which a pending graph is realized by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The number of pending nodes that one tensor needs. A graph is cut at about this number, at
    /// the same point of a loop each time, and at the latest at four times this number.
    pub nodes: usize,
    /// The bytes of their results.
    pub bytes: usize,
}

impl Default for Limits {
    /// 256 nodes, 1 GiB.
    fn default() -> Limits {
        Limits { nodes: 256, bytes: 1 << 30 }
    }
}

static PLACES: Mutex<Vec<Arc<LazyPlatform>>> = Mutex::new(Vec::new());

/// The place of a platform.
pub(crate) fn place_of(platform: &Platform) -> Arc<LazyPlatform> {
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(place) = places.iter().find(|place| place.platform.is_same(platform)) {
        return place.clone();
    }
    let Limits { nodes, bytes } = Limits::default();
    let place = Arc::new(LazyPlatform {
        platform: platform.clone(),
        programs: Programs::default(),
        counters: Counters::default(),
        nodes: nodes.into(),
        bytes: bytes.into(),
    });
    places.push(place.clone());
    place
}

/// Statistics of the lazy tensors of a platform.
pub fn stats(platform: &Platform) -> LazyStats {
    let place = place_of(platform);
    let Counters { hits, misses, compile_nanoseconds, runs, cuts } = &place.counters;
    LazyStats {
        hits: hits.load(Ordering::Relaxed),
        misses: misses.load(Ordering::Relaxed),
        compile_time: Duration::from_nanos(compile_nanoseconds.load(Ordering::Relaxed)),
        runs: runs.load(Ordering::Relaxed),
        cuts: cuts.load(Ordering::Relaxed),
        programs: place.programs.count(),
    }
}

/// The limits of a platform's pending graphs.
pub fn limits(platform: &Platform) -> Limits {
    let place = place_of(platform);
    Limits {
        nodes: place.nodes.load(Ordering::Relaxed),
        bytes: place.bytes.load(Ordering::Relaxed),
    }
}

/// Sets the limits of a platform's pending graphs.
pub fn set_limits(platform: &Platform, limits: Limits) {
    let place = place_of(platform);
    place.nodes.store(limits.nodes.max(1), Ordering::Relaxed);
    place.bytes.store(limits.bytes, Ordering::Relaxed);
}

/// Drops the programs compiled for lazy tensors of a platform.
pub fn clear_programs(platform: &Platform) {
    place_of(platform).programs.clear();
}

/// Drops the state kept for lazy tensors of a platform: its programs, counters and limits. Until
/// then a platform with lazy tensors lives as long as the process; afterwards as long as its
/// handles.
pub fn forget(platform: &Platform) {
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    let removed = places.iter().position(|place| place.platform.is_same(platform));
    let removed = removed.map(|at| places.swap_remove(at));
    // Programs are dropped after the lock is released.
    drop(places);
    if let Some(place) = removed {
        place.programs.clear();
    }
}
