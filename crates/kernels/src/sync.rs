//! What the workers are synchronized with. `tests/models` compiles them once more, with a `sync` module of a model checker.

use std::time::{Duration, Instant};

pub(crate) use std::{
    hint::spin_loop,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize},
    },
    thread::{Thread, park, yield_now},
};

/// A cell that knows when its contents are looked at, or could.
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub fn new(value: T) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }

    /// Shows the contents, which nobody writes meanwhile.
    #[inline]
    pub fn with<R>(&self, look: impl FnOnce(*const T) -> R) -> R {
        look(self.0.get())
    }

    /// Shows the contents, which nobody else reads or writes meanwhile.
    #[inline]
    pub fn with_mut<R>(&self, change: impl FnOnce(*mut T) -> R) -> R {
        change(self.0.get())
    }
}

/// How long a worker looks out for work before it sleeps: longer than what a program does between two kernels.
pub(crate) const AWAKE: Duration = Duration::from_micros(200);

/// Looks between two looks at the clock.
pub(crate) const LOOKS: usize = 64;

/// The time for which a worker looks out.
pub(crate) struct Lookout(Instant);

impl Lookout {
    pub fn begin() -> Self {
        Self(Instant::now())
    }

    pub fn goes_on(&self) -> bool {
        self.0.elapsed() < AWAKE
    }
}
