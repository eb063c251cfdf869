//! The compiled programs of a platform, by structure.

use crate::place::LazyPlatform;
use hloom_graph::Graph;
use hloom_runtime::{AnyExe, Result};
use once_cell::sync::OnceCell;
use rustc_hash::FxHashMap;
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

/// Programs by the structure of their jobs.
#[derive(Default)]
pub(crate) struct Programs {
    slots: Mutex<FxHashMap<Box<[u64]>, Arc<Slot>>>,
    clock: AtomicU64,
}

/// A program, once it is compiled.
#[derive(Default)]
struct Slot {
    exe: OnceCell<AnyExe>,
    used: AtomicU64,
}

/// The maximum number of programs that are kept; the least recently used one is dropped first.
const KEPT: usize = 1024;

impl Programs {
    /// The program of a structure; `graph` builds its graph if it is not known. A thread that needs
    /// a program which another one compiles waits for it.
    pub fn get(
        &self,
        place: &LazyPlatform,
        structure: &[u64],
        graph: impl FnOnce() -> Result<Graph>,
    ) -> Result<AnyExe> {
        let slot = self.slot(structure);
        let mut is_hit = true;
        let exe = slot.exe.get_or_try_init(|| {
            is_hit = false;
            let begin = Instant::now();
            let exe = graph().and_then(|graph| place.platform.compiler().compile_graph(&graph));
            let time = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
            place.counters.misses.fetch_add(1, Ordering::Relaxed);
            place.counters.compile_nanoseconds.fetch_add(time, Ordering::Relaxed);
            exe
        });
        if is_hit {
            place.counters.hits.fetch_add(1, Ordering::Relaxed);
        }
        exe.cloned()
    }

    fn slot(&self, structure: &[u64]) -> Arc<Slot> {
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = match slots.get(structure) {
            Some(slot) => slot.clone(),
            None => {
                if slots.len() >= KEPT {
                    let oldest = slots.iter().min_by_key(|(_, s)| s.used.load(Ordering::Relaxed));
                    let oldest = oldest.map(|(structure, _)| structure.clone());
                    oldest.and_then(|structure| slots.remove(&structure));
                }
                let slot = Arc::new(Slot::default());
                slots.insert(structure.into(), slot.clone());
                slot
            }
        };
        slot.used.store(now, Ordering::Relaxed);
        slot
    }

    pub fn count(&self) -> usize {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub fn clear(&self) {
        let slots = std::mem::take(&mut *self.slots.lock().unwrap_or_else(PoisonError::into_inner));
        // Programs are dropped after the lock is released.
        drop(slots);
    }
}
