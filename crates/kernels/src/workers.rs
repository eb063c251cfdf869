//! Threads of this crate's own, which stay awake between the calls of a program.

use crate::{Error, Pool, Serial};
use std::{
    cell::UnsafeCell,
    hint::spin_loop,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        LazyLock, Mutex, PoisonError, TryLockError,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread::{self, Thread},
    time::{Duration, Instant},
};

/// The process's workers: one for each core but the caller's.
///
/// A program calls a kernel every few microseconds, and waking a sleeping thread takes longer than many of the calls. So a worker
/// looks out for the next call for a while before it sleeps. They work for one call at a time: another one that comes meanwhile
/// is done by its own thread, so that calls from many threads do not crowd the cores.
#[derive(Clone, Copy, Debug)]
pub struct Workers(&'static Team);

/// How long a worker looks out for work before it sleeps: longer than what a program does between two kernels.
const AWAKE: Duration = Duration::from_micros(200);

/// Looks between two looks at the clock.
const LOOKS: usize = 64;

struct Team {
    threads: usize,
    /// Held by the thread whose call is worked on.
    caller: Mutex<()>,
    job: UnsafeCell<Option<Job>>,
    /// Counts the jobs, so that a worker knows a new one.
    started: AtomicUsize,
    /// Whether the job may be joined.
    open: AtomicBool,
    /// Workers that look at the job.
    active: AtomicUsize,
    /// The next piece.
    next: AtomicUsize,
    panicked: AtomicBool,
    sleeping: AtomicUsize,
    workers: Mutex<Vec<Thread>>,
}

/// A call's work, which lives until the job is closed and no worker is active.
#[derive(Clone, Copy)]
struct Job {
    work: *const (dyn Fn(usize) + Sync),
    count: usize,
}

// SAFETY: `job` is written by the holder of `caller` alone while the job is closed and no worker is active; workers read it only
// between counting themselves active and finding it open. What it points to is `Sync`.
unsafe impl Sync for Team {}
// SAFETY: as above.
unsafe impl Send for Team {}

impl Workers {
    /// The process's own, started when they are first asked for.
    pub fn get() -> Workers {
        static TEAM: LazyLock<&'static Team> = LazyLock::new(Team::start);
        Workers(&TEAM)
    }
}

impl Pool for Workers {
    fn threads(&self) -> usize {
        self.0.threads
    }

    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) -> Result<(), Error> {
        let team = self.0;
        if count <= 1 || team.threads == 1 {
            return Serial.for_each(count, work);
        }
        let _caller = match team.caller.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Serial.for_each(count, work),
        };
        team.open(count, work);
        let own = catch_unwind(AssertUnwindSafe(|| team.take_pieces(count, work)));
        if own.is_err() {
            // Nobody begins another piece.
            team.next.store(count, SeqCst);
        }
        team.close();
        match own.is_err() | team.panicked.load(SeqCst) {
            false => Ok(()),
            true => Err(Error::Panicked),
        }
    }
}

impl Team {
    fn start() -> &'static Team {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let team: &'static Team = Box::leak(Box::new(Team {
            threads: cores,
            caller: Mutex::new(()),
            job: UnsafeCell::new(None),
            started: AtomicUsize::new(0),
            open: AtomicBool::new(false),
            active: AtomicUsize::new(0),
            next: AtomicUsize::new(0),
            panicked: AtomicBool::new(false),
            sleeping: AtomicUsize::new(0),
            workers: Mutex::new(Vec::new()),
        }));
        let mut workers = team.workers.lock().unwrap_or_else(PoisonError::into_inner);
        for i in 1..cores {
            let thread = thread::Builder::new().name(format!("hloom-kernel-{i}"));
            match thread.spawn(move || team.work()) {
                Ok(handle) => workers.push(handle.thread().clone()),
                // Those that could be started, and the caller, do the work.
                Err(error) => tracing::warn!(%error, "a worker thread could not be started"),
            }
        }
        drop(workers);
        team
    }

    /// Makes work known to the workers.
    fn open(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        let work: *const (dyn Fn(usize) + Sync + '_) = work;
        // SAFETY: only extends the lifetime: `close` returns when no worker can reach it any more, and before the caller does.
        let work: *const (dyn Fn(usize) + Sync + 'static) = unsafe { std::mem::transmute(work) };
        // SAFETY: the job is closed, so no worker reads it: those that found it open are done, and the caller's lock is held.
        unsafe { *self.job.get() = Some(Job { work, count }) };
        self.next.store(0, SeqCst);
        self.panicked.store(false, SeqCst);
        self.open.store(true, SeqCst);
        self.started.fetch_add(1, SeqCst);
        if self.sleeping.load(SeqCst) > 0 {
            let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
            workers.iter().for_each(Thread::unpark);
        }
    }

    /// Waits for the workers that joined, and lets no other join.
    fn close(&self) {
        self.open.store(false, SeqCst);
        let mut looks = 0;
        while self.active.load(SeqCst) > 0 {
            looks += 1;
            match looks % LOOKS {
                // With fewer cores than threads, the worker needs this one.
                0 => thread::yield_now(),
                _ => spin_loop(),
            }
        }
    }

    fn take_pieces(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        loop {
            let piece = self.next.fetch_add(1, SeqCst);
            if piece >= count {
                return;
            }
            work(piece);
        }
    }

    /// The life of a worker.
    fn work(&self) {
        let mut seen = 0;
        loop {
            self.wait(seen);
            seen = self.started.load(SeqCst);
            self.active.fetch_add(1, SeqCst);
            if self.open.load(SeqCst) {
                // SAFETY: it was open when this worker was counted, so it is not written before the worker is done.
                let job = unsafe { *self.job.get() };
                if let Some(Job { work, count }) = job {
                    // SAFETY: `close` waits for this worker, and the caller for `close`.
                    let work = unsafe { &*work };
                    if catch_unwind(AssertUnwindSafe(|| self.take_pieces(count, work))).is_err() {
                        self.panicked.store(true, SeqCst);
                        self.next.store(count, SeqCst);
                    }
                }
            }
            self.active.fetch_sub(1, SeqCst);
        }
    }

    /// Returns when there is another job than the one that was seen: awake for a while, then asleep.
    fn wait(&self, seen: usize) {
        let begin = Instant::now();
        while begin.elapsed() < AWAKE {
            for _ in 0..LOOKS {
                if self.started.load(SeqCst) != seen {
                    return;
                }
                spin_loop();
            }
        }
        self.sleeping.fetch_add(1, SeqCst);
        while self.started.load(SeqCst) == seen {
            thread::park();
        }
        self.sleeping.fetch_sub(1, SeqCst);
    }
}

impl std::fmt::Debug for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Team")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::HashSet, sync::atomic::AtomicU64};

    #[test]
    fn every_piece_is_done_once_whoever_calls() {
        let workers = Workers::get();
        thread::scope(|scope| {
            for seed in 0..8u64 {
                scope.spawn(move || {
                    for round in 0..if cfg!(miri) { 3 } else { 500 } {
                        let count = (seed * 7 + round) as usize % 40;
                        let done: Vec<AtomicU64> = (0..count).map(|_| AtomicU64::new(0)).collect();
                        let add = |piece: usize| {
                            done[piece].fetch_add(1, SeqCst);
                        };
                        workers.for_each(count, &add).expect("nothing panics");
                        assert!(done.iter().all(|done| done.load(SeqCst) == 1));
                    }
                });
            }
        });
    }

    #[test]
    fn calls_from_many_threads_share_one_team() {
        const CALLERS: usize = 8;
        let workers = Workers::get();
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        // The threads that did work of a call that was not theirs.
        let helpers = Mutex::new(HashSet::new());
        thread::scope(|scope| {
            for _ in 0..CALLERS {
                scope.spawn(|| {
                    let caller = thread::current().id();
                    let work = |_| {
                        most.fetch_max(1 + inside.fetch_add(1, SeqCst), SeqCst);
                        if thread::current().id() != caller {
                            helpers.lock().expect("nothing panics").insert(thread::current().id());
                        }
                        inside.fetch_sub(1, SeqCst);
                    };
                    for _ in 0..if cfg!(miri) { 2 } else { 200 } {
                        workers.for_each(20, &work).expect("nothing panics");
                    }
                });
            }
        });
        let others = workers.threads() - 1;
        let helpers = helpers.into_inner().expect("nothing panics").len();
        assert!(helpers <= others, "{helpers} threads beside {CALLERS} callers");
        assert!(most.into_inner() <= CALLERS + others);
    }

    #[test]
    fn a_panic_is_an_error_and_the_workers_live() {
        let workers = Workers::get();
        for _ in 0..20 {
            let outcome = workers.for_each(16, &|piece| assert_ne!(piece, 7, "as asked for"));
            assert!(matches!(outcome, Err(Error::Panicked)));
            workers.for_each(16, &|_| ()).expect("nothing panics");
        }
    }

    #[test]
    fn sleeping_workers_wake() {
        let workers = Workers::get();
        for _ in 0..5 {
            thread::sleep(2 * AWAKE);
            let done = AtomicUsize::new(0);
            let add = |_| {
                done.fetch_add(1, SeqCst);
            };
            workers.for_each(100, &add).expect("nothing panics");
            assert_eq!(done.load(SeqCst), 100);
        }
    }
}
