//! A lock for each key.

use std::{
    collections::HashSet,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

/// The keys that are locked.
#[derive(Default)]
pub(super) struct Locks {
    held: Mutex<HashSet<String>>,
    released: Condvar,
}

/// A locked key, which is released when it is dropped.
pub(super) struct Locked<'a> {
    locks: &'a Locks,
    key: String,
}

impl Locks {
    /// Waits until nobody else holds the key.
    pub fn lock(&self, key: &str) -> Locked<'_> {
        let mut held = self.held();
        while !held.insert(key.to_owned()) {
            held = self.released.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        Locked { locks: self, key: key.to_owned() }
    }

    fn held(&self) -> MutexGuard<'_, HashSet<String>> {
        // A panic cannot leave an insertion or a removal incomplete.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        self.locks.held().remove(&self.key);
        self.locks.released.notify_all();
    }
}
