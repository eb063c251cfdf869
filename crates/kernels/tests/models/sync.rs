//! In place of the module of this name in the crate: what the checker watches.

use loom::sync::atomic::{self, Ordering, fence};
pub(crate) use loom::{
    cell::UnsafeCell,
    hint::spin_loop,
    sync::Mutex,
    thread::{Thread, park, yield_now},
};
use std::cell::Cell;

/// One look, so that there are few interleavings.
pub(crate) const LOOKS: usize = 1;

/// Goes on for one look: to look again is to begin later.
pub(crate) struct Lookout(Cell<bool>);

impl Lookout {
    pub fn begin() -> Self {
        Self(Cell::new(true))
    }

    pub fn goes_on(&self) -> bool {
        self.0.replace(false)
    }
}

/// The checker takes sequentially consistent accesses for acquire and release. With a fence before each such load, a store or another
/// change comes before a load that follows it for all threads, which is what the team relies on.
fn before_load(order: Ordering) {
    if order == Ordering::SeqCst {
        fence(Ordering::SeqCst);
    }
}

#[derive(Debug)]
pub(crate) struct AtomicUsize(atomic::AtomicUsize);

impl AtomicUsize {
    pub fn new(value: usize) -> Self {
        Self(atomic::AtomicUsize::new(value))
    }

    pub fn load(&self, order: Ordering) -> usize {
        before_load(order);
        self.0.load(order)
    }

    pub fn store(&self, value: usize, order: Ordering) {
        self.0.store(value, order);
    }

    pub fn fetch_add(&self, value: usize, order: Ordering) -> usize {
        self.0.fetch_add(value, order)
    }

    pub fn fetch_sub(&self, value: usize, order: Ordering) -> usize {
        self.0.fetch_sub(value, order)
    }
}

#[derive(Debug)]
pub(crate) struct AtomicBool(atomic::AtomicBool);

impl AtomicBool {
    pub fn new(value: bool) -> Self {
        Self(atomic::AtomicBool::new(value))
    }

    pub fn load(&self, order: Ordering) -> bool {
        before_load(order);
        self.0.load(order)
    }

    pub fn store(&self, value: bool, order: Ordering) {
        self.0.store(value, order);
    }
}
