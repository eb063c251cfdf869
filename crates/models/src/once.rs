//! Values that are created on first use.

use crate::Result;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};

/// A value that is created once. Concurrent callers wait; after a failure the next caller tries
/// again.
pub(crate) struct Once<T>(Mutex<Option<T>>);

/// One [`Once`] per key.
pub(crate) struct OncePer<K, T>(Mutex<BTreeMap<K, Arc<Once<T>>>>);

impl<T: Clone> Once<T> {
    pub fn get(&self, make: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut value = lock(&self.0);
        match &*value {
            Some(value) => Ok(value.clone()),
            None => Ok(value.insert(make()?).clone()),
        }
    }
}

impl<T: Clone> Once<T> {
    /// The value, if it exists and its lock is free.
    pub fn made(&self) -> Option<T> {
        self.0.try_lock().ok()?.clone()
    }
}

impl<K: Ord, T: Clone> OncePer<K, T> {
    pub fn get(&self, key: K, make: impl FnOnce() -> Result<T>) -> Result<T> {
        let once = lock(&self.0).entry(key).or_default().clone();
        once.get(make)
    }
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Once(Mutex::new(None))
    }
}

impl<K, T> Default for OncePer<K, T> {
    fn default() -> Self {
        OncePer(Mutex::default())
    }
}

/// Locks a mutex whose content is valid even after a thread panicked while holding it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
