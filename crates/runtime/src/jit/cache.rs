//! The executables of a jitted function.

use crate::{Error, Result};
use once_cell::sync::OnceCell;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread::{self, ThreadId},
};

/// Executables by the structure of their arguments.
///
/// A hash finds the few entries that a key is compared with. Only the leaves are hashed, since
/// other fields of a tree need not implement `Hash`.
pub(crate) struct Cache<K, E> {
    entries: RwLock<Entries<K, E>>,
    capacity: usize,
    /// The number of lookups: the clock by which the age of entries is measured.
    lookups: AtomicU64,
}

type Entries<K, E> = HashMap<u64, SmallVec<[Arc<CachedExe<K, E>>; 1]>, FxBuildHasher>;

/// An executable, or the place of one that is being compiled.
pub(crate) struct CachedExe<K, E> {
    key: K,
    donated: &'static [bool],
    compiled: OnceCell<E>,
    /// The thread that compiles it.
    compiler: Mutex<Option<ThreadId>>,
    used: AtomicU64,
}

/// The reason why there is no executable.
pub(crate) enum Failure {
    Compile(Error),
    /// The function is called while the same thread traces it for the same arguments.
    Recursion,
}

impl<K, E> Cache<K, E> {
    pub fn new(capacity: usize) -> Cache<K, E> {
        Cache { entries: RwLock::default(), capacity, lookups: AtomicU64::new(0) }
    }

    /// Changes the number of entries kept, at least one.
    pub fn with_capacity(self, capacity: usize) -> Cache<K, E> {
        Cache { capacity: capacity.max(1), ..self }
    }

    /// The entry of a key, and whether it is a new one. `has_key` compares with a key, and `key`
    /// creates it.
    pub fn entry(
        &self,
        hash: u64,
        donated: &'static [bool],
        has_key: impl Fn(&K) -> bool,
        key: impl FnOnce() -> K,
    ) -> Arc<CachedExe<K, E>> {
        let now = self.lookups.fetch_add(1, Relaxed);
        let is_it = |entry: &&Arc<CachedExe<K, E>>| entry.donated == donated && has_key(&entry.key);
        let find = |entries: &Entries<K, E>| entries.get(&hash)?.iter().find(is_it).cloned();
        let found = find(&self.read());
        if let Some(entry) = found {
            entry.used.store(now, Relaxed);
            return entry;
        }
        let mut entries = self.write();
        if let Some(entry) = find(&entries) {
            return entry;
        }
        if entries.values().map(SmallVec::len).sum::<usize>() >= self.capacity {
            remove_oldest(&mut entries);
        }
        let entry = Arc::new(CachedExe {
            key: key(),
            donated,
            compiled: OnceCell::new(),
            compiler: Mutex::default(),
            used: AtomicU64::new(now),
        });
        entries.entry(hash).or_default().push(entry.clone());
        entry
    }

    /// The number of executables.
    pub fn len(&self) -> usize {
        self.read().values().flatten().filter(|entry| entry.get().is_some()).count()
    }

    /// The keys of the executables.
    pub fn keys(&self) -> Vec<K>
    where
        K: Clone,
    {
        let entries = self.read();
        let compiled = entries.values().flatten().filter(|entry| entry.get().is_some());
        compiled.map(|entry| entry.key.clone()).collect()
    }

    /// Removes every entry; calls that use one keep it.
    pub fn clear(&self) {
        self.write().clear();
    }

    // A panic cannot leave the map incomplete.
    fn read(&self) -> RwLockReadGuard<'_, Entries<K, E>> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Entries<K, E>> {
        self.entries.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn remove_oldest<K, E>(entries: &mut Entries<K, E>) {
    let oldest = entries.values().flatten().map(|entry| entry.used.load(Relaxed)).min();
    entries.retain(|_, list| {
        list.retain(|entry| Some(entry.used.load(Relaxed)) != oldest);
        !list.is_empty()
    });
}

impl<K, E> CachedExe<K, E> {
    /// The executable, if it is compiled.
    pub fn get(&self) -> Option<&E> {
        self.compiled.get()
    }

    /// Compiles the executable unless another thread has done so; others that want it wait. An
    /// error, or a panic of the traced function, leaves the entry as it was.
    pub fn get_or_compile(&self, compile: impl FnOnce() -> Result<E>) -> Result<&E, Failure> {
        let this_thread = thread::current().id();
        if *self.compiler() == Some(this_thread) {
            return Err(Failure::Recursion);
        }
        self.compiled.get_or_try_init(|| {
            *self.compiler() = Some(this_thread);
            let _compiling = Compiling(self);
            compile().map_err(Failure::Compile)
        })
    }

    fn compiler(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.compiler.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records on drop that no thread compiles the entry.
struct Compiling<'a, K, E>(&'a CachedExe<K, E>);

impl<K, E> Drop for Compiling<'_, K, E> {
    fn drop(&mut self) {
        *self.0.compiler() = None;
    }
}
