//! The core on which a sleeping thread wakes.

use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_setaffinity};
use std::sync::{Mutex, PoisonError};

/// The core that this thread runs on. The C library's function: that of `rustix` reads the kernel's
/// shared object, which memory checkers hide.
fn current_core() -> Option<usize> {
    // SAFETY: no inputs.
    let core = unsafe { libc::sched_getcpu() };
    usize::try_from(core).ok()
}

/// Where a thread may run, so that another one can wake it on another core than its own.
///
/// The scheduler may put a woken thread on the core of the thread that wakes it, though another one
/// is idle: in a virtual machine an idle core that the host has stopped may count as taken. There
/// the woken thread waits, for milliseconds if the other one does not sleep.
#[derive(Debug)]
pub(crate) struct Affinity {
    thread: Pid,
    /// The thread's own cores, while a core is excluded.
    own: Mutex<Option<CpuSet>>,
}

impl Affinity {
    pub fn of_this_thread() -> Affinity {
        Affinity { thread: gettid(), own: Mutex::new(None) }
    }

    /// Excludes the core of the calling thread from those of the other one, until
    /// [`restore`](Affinity::restore). A thread that has no other core keeps it, as does one whose
    /// cores may not be changed.
    pub fn exclude_this_core(&self) {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(cores) = own.or_else(|| sched_getaffinity(Some(self.thread)).ok()) else { return };
        let mut others = cores;
        let Some(core) = current_core() else { return };
        others.unset(core);
        if others.count() > 0 && sched_setaffinity(Some(self.thread), &others).is_ok() {
            *own = Some(cores);
        }
    }

    /// Gives the calling thread, whose affinity this is, its own cores again.
    pub fn restore(&self) {
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(own) = own {
            // It fails if a core was taken from the process meanwhile: the thread has others.
            let _ = sched_setaffinity(None, &own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, thread};

    fn cores(thread: Pid) -> CpuSet {
        sched_getaffinity(Some(thread)).expect("the thread lives")
    }

    #[test]
    fn a_core_is_excluded_until_the_thread_restores_its_own() {
        let (report, reports) = mpsc::channel();
        let (resume, resumes) = mpsc::channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                let affinity = std::sync::Arc::new(Affinity::of_this_thread());
                report.send(affinity.clone()).expect("the test waits");
                resumes.recv().expect("the test goes on");
                affinity.restore();
                report.send(affinity).expect("the test waits");
                resumes.recv().expect("the test goes on");
            });
            let affinity = reports.recv().expect("it was sent");
            let before = cores(affinity.thread);
            // The second time, from whichever core, only one is excluded.
            for _ in 0..2 {
                affinity.exclude_this_core();
                let during = cores(affinity.thread);
                assert_eq!(during.count(), (before.count() - 1).max(1));
                let is_new = |core| during.is_set(core) && !before.is_set(core);
                assert!(!(0..CpuSet::MAX_CPU).any(is_new));
            }
            resume.send(()).expect("it waits");
            let affinity = reports.recv().expect("it was sent");
            assert_eq!(cores(affinity.thread), before);
            resume.send(()).expect("it waits");
        });
    }

    #[test]
    fn a_thread_with_one_core_keeps_it() {
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut only = CpuSet::new();
                only.set(current_core().expect("it runs somewhere"));
                sched_setaffinity(None, &only).expect("it runs there");
                let affinity = Affinity::of_this_thread();
                affinity.exclude_this_core();
                assert_eq!(cores(affinity.thread), only);
                affinity.restore();
                assert_eq!(cores(affinity.thread), only);
            });
        });
    }
}
