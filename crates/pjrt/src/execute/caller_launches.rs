//! The number of launches that threads are making, with handlers that may make further ones.
//!
//! A plugin may limit the programs in flight on each device (the CPU's accepts 32), and a small
//! program is in flight while its handlers run on the thread that called it. Where as many threads
//! as that limit run handlers, the programs that these call would wait for each other. Programs
//! over several devices take up to 16 of that number: see [`launches`](super::launches).

use crate::sync::{Condvar, Mutex, MutexGuard};
use std::sync::PoisonError;

/// The launches of a client that threads are making on one device, of programs with handlers.
/// `OUTERMOST` threads make one at a time, further ones wait; with those that handlers make, there
/// are at most `ALL`.
pub(crate) struct CallerLaunches<const OUTERMOST: usize = 10, const ALL: usize = 15> {
    count: Mutex<Count>,
    ended: Condvar,
}

#[derive(Default)]
struct Count {
    running: usize,
    waiting: usize,
}

/// A launch, until it is dropped.
pub(crate) struct CallerLaunch<'a, const OUTERMOST: usize = 10, const ALL: usize = 15>(
    &'a CallerLaunches<OUTERMOST, ALL>,
);

impl<const OUTERMOST: usize, const ALL: usize> Default for CallerLaunches<OUTERMOST, ALL> {
    fn default() -> Self {
        Self { count: Mutex::new(Count::default()), ended: Condvar::new() }
    }
}

impl<const OUTERMOST: usize, const ALL: usize> CallerLaunches<OUTERMOST, ALL> {
    fn count(&self) -> MutexGuard<'_, Count> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a launch that no handler makes. Waits until there are few enough.
    pub fn begin(&self) -> CallerLaunch<'_, OUTERMOST, ALL> {
        let mut count = self.count();
        while count.running >= OUTERMOST {
            count.waiting += 1;
            count = self.ended.wait(count).unwrap_or_else(PoisonError::into_inner);
            count.waiting -= 1;
        }
        count.running += 1;
        CallerLaunch(self)
    }

    /// Begins a launch that a handler makes, unless there are too many.
    pub fn begin_nested(&self) -> Option<CallerLaunch<'_, OUTERMOST, ALL>> {
        let mut count = self.count();
        if count.running >= ALL {
            return None;
        }
        count.running += 1;
        Some(CallerLaunch(self))
    }
}

impl<const OUTERMOST: usize, const ALL: usize> Drop for CallerLaunch<'_, OUTERMOST, ALL> {
    fn drop(&mut self) {
        let mut count = self.0.count();
        count.running -= 1;
        if count.waiting > 0 {
            self.0.ended.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_launches_wait_and_nested_ones_are_refused() {
        let launches = CallerLaunches::<2, 3>::default();
        let (first, second) = (launches.begin(), launches.begin());
        let nested = launches.begin_nested().expect("there is room for one");
        assert!(launches.begin_nested().is_none());
        std::thread::scope(|scope| {
            let third = scope.spawn(|| drop(launches.begin()));
            while launches.count().waiting == 0 {
                std::thread::yield_now();
            }
            assert!(!third.is_finished());
            drop((first, nested));
            third.join().expect("it does not panic");
            assert_eq!(launches.count().running, 1);
        });
        drop(second);
        assert_eq!(launches.count().running, 0);
    }
}
