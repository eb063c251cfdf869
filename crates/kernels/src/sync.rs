//! Synchronization primitives of the workers. `tests/models` compiles the workers again with a
//! model checker's `sync` module.

use std::time::{Duration, Instant};

pub(crate) use std::{
    hint::spin_loop,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize},
    },
    thread::{Thread, current, park, yield_now},
};

#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) use crate::affinity::Affinity;

/// Elsewhere the scheduler alone decides where a thread wakes.
#[cfg(not(all(target_os = "linux", not(miri))))]
#[derive(Debug)]
pub(crate) struct Affinity;

#[cfg(not(all(target_os = "linux", not(miri))))]
impl Affinity {
    pub fn of_this_thread() -> Affinity {
        Affinity
    }

    pub fn exclude_this_core(&self) {}

    pub fn restore(&self) {}
}

/// A cell whose accesses can be tracked.
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub fn new(value: T) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }

    /// Passes the contents to `look`; nobody writes them meanwhile.
    #[inline]
    pub fn with<R>(&self, look: impl FnOnce(*const T) -> R) -> R {
        look(self.0.get())
    }

    /// Passes the contents to `change`; nobody else reads or writes them meanwhile.
    #[inline]
    pub fn with_mut<R>(&self, change: impl FnOnce(*mut T) -> R) -> R {
        change(self.0.get())
    }
}

/// The time for which a worker spins before it sleeps: longer than a program's time between two
/// kernels.
pub(crate) const AWAKE: Duration = Duration::from_micros(200);

/// Spins between two reads of the clock.
pub(crate) const LOOKS: usize = 64;

/// The time for which a worker spins.
pub(crate) struct Lookout(Instant);

impl Lookout {
    pub fn begin() -> Self {
        Self(Instant::now())
    }

    pub fn goes_on(&self) -> bool {
        self.0.elapsed() < AWAKE
    }
}
