//! Values that are created on first use.

use crate::Result;
use once_cell::sync::OnceCell;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};

/// One value per key, created once: concurrent callers of a key wait; after a failure the next
/// caller tries again.
pub(crate) struct OncePer<K, T>(Mutex<BTreeMap<K, Arc<OnceCell<T>>>>);

impl<K: Ord, T: Clone> OncePer<K, T> {
    pub fn get(&self, key: K, make: impl FnOnce() -> Result<T>) -> Result<T> {
        let once = lock(&self.0).entry(key).or_default().clone();
        once.get_or_try_init(make).cloned()
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
