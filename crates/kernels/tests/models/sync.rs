//! Replaces the crate's `sync` module with the primitives of the model checker.

use loom::sync::atomic::{self, Ordering, fence};
pub(crate) use loom::{
    cell::UnsafeCell,
    hint::spin_loop,
    sync::Mutex,
    thread::{Thread, current, park, yield_now},
};
use std::cell::Cell;

/// The checker has no cores.
pub(crate) struct Affinity;

impl Affinity {
    pub fn of_this_thread() -> Affinity {
        Affinity
    }

    pub fn exclude_this_core(&self) {}

    pub fn restore(&self) {}
}

/// One spin, so that there are few interleavings.
pub(crate) const LOOKS: usize = 1;

/// Goes on for one spin: spinning again is equivalent to starting later.
pub(crate) struct Lookout(Cell<bool>);

impl Lookout {
    pub fn begin() -> Self {
        Self(Cell::new(true))
    }

    pub fn goes_on(&self) -> bool {
        self.0.replace(false)
    }
}

/// The checker treats sequentially consistent accesses as acquire and release. With a fence before
/// each such load, an earlier store or read-modify-write precedes a later load for all threads,
/// which the team relies on.
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

    pub fn swap(&self, value: bool, order: Ordering) -> bool {
        self.0.swap(value, order)
    }
}
