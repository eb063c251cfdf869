//! Synchronization primitives of the workers. `tests/models` compiles the workers again with a
//! model checker's `sync` module.

use std::time::{Duration, Instant};

pub(crate) use std::{
    hint::spin_loop,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize},
    },
    thread::{Thread, park, yield_now},
};

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

/// How long a worker spins before it sleeps: longer than a program's time between two kernels.
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
