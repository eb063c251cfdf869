//! Threads that share the work of one call at a time.

use crate::{
    Error, Pool, Serial,
    sync::{
        Affinity, AtomicBool, AtomicUsize, LOOKS, Lookout, Mutex, Thread, UnsafeCell, current,
        park, spin_loop, yield_now,
    },
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, PoisonError, TryLockError, atomic::Ordering::SeqCst},
};

/// A caller and its workers.
///
/// Two pairs of accesses need a single total order, so all are sequentially consistent: a worker
/// counts itself active and then checks whether the job is open, the caller closes it and then
/// checks who is active; a worker counts itself asleep and then checks for a new job, the caller
/// starts one and then checks who is asleep.
pub(crate) struct Team {
    /// The number of threads, including the caller's.
    pub threads: usize,
    /// Held by the thread whose call is running.
    caller: Mutex<()>,
    job: UnsafeCell<Option<Job>>,
    /// The number of jobs, from which a worker recognises a new one.
    started: AtomicUsize,
    /// Whether the job may be joined.
    open: AtomicBool,
    /// Workers that read the job.
    active: AtomicUsize,
    /// The next piece.
    next: AtomicUsize,
    panicked: AtomicBool,
    sleeping: AtomicUsize,
    workers: Mutex<Vec<Arc<Worker>>>,
}

/// A thread that helps.
pub(crate) struct Worker {
    thread: Thread,
    /// Whether it is to be woken.
    is_asleep: AtomicBool,
    affinity: Affinity,
}

/// A call's work, which lives until the job is closed and no worker is active.
#[derive(Clone, Copy)]
struct Job {
    work: *const (dyn Fn(usize) + Sync),
    count: usize,
}

// SAFETY: only the holder of `caller` writes `job`, while the job is closed and no worker is
// active; workers read it only between counting themselves active and finding it open. It points to
// `Sync` data.
unsafe impl Sync for Team {}
// SAFETY: as above.
unsafe impl Send for Team {}

impl Team {
    /// A team of this many threads, including the caller's.
    pub fn new(threads: usize) -> Team {
        Team {
            threads,
            caller: Mutex::new(()),
            job: UnsafeCell::new(None),
            started: AtomicUsize::new(0),
            open: AtomicBool::new(false),
            active: AtomicUsize::new(0),
            next: AtomicUsize::new(0),
            panicked: AtomicBool::new(false),
            sleeping: AtomicUsize::new(0),
            workers: Mutex::new(Vec::new()),
        }
    }

    /// Makes this thread a worker, which [helps](Team::help) and is woken.
    pub fn join(&self) -> Arc<Worker> {
        let worker = Arc::new(Worker {
            thread: current(),
            is_asleep: AtomicBool::new(false),
            affinity: Affinity::of_this_thread(),
        });
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        workers.push(Arc::clone(&worker));
        worker
    }

    /// Publishes work to the workers.
    fn open(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        let work: *const (dyn Fn(usize) + Sync + '_) = work;
        // SAFETY: only extends the lifetime: `close` returns when no worker can reach it any more,
        // and before the caller does.
        let work: *const (dyn Fn(usize) + Sync + 'static) = unsafe { std::mem::transmute(work) };
        // SAFETY: the job is closed, so no worker reads it: those that found it open have finished,
        // and the caller's lock is held.
        self.job.with_mut(|job| unsafe { *job = Some(Job { work, count }) });
        self.next.store(0, SeqCst);
        self.panicked.store(false, SeqCst);
        self.open.store(true, SeqCst);
        self.started.fetch_add(1, SeqCst);
        if self.sleeping.load(SeqCst) > 0 {
            let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
            for worker in workers.iter().filter(|worker| worker.is_asleep.swap(false, SeqCst)) {
                worker.affinity.exclude_this_core();
                worker.thread.unpark();
            }
        }
    }

    /// Waits for the workers that joined; no others can join.
    fn close(&self) {
        self.open.store(false, SeqCst);
        let mut looks = 0;
        while self.active.load(SeqCst) > 0 {
            looks += 1;
            if usize::is_multiple_of(looks, LOOKS) {
                // With fewer cores than threads, the worker needs this one.
                yield_now();
            } else {
                spin_loop();
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

    /// Waits for another job than `seen`, the last one (0: none), works on it unless it is closed,
    /// and returns its number.
    pub fn help(&self, worker: &Worker, seen: usize) -> usize {
        self.wait(worker, seen);
        let seen = self.started.load(SeqCst);
        self.active.fetch_add(1, SeqCst);
        if self.open.load(SeqCst) {
            // SAFETY: it was open when this worker was counted, so it is not written before the
            // worker has finished.
            let job = self.job.with(|job| unsafe { *job });
            if let Some(Job { work, count }) = job {
                // SAFETY: `close` waits for this worker, and the caller for `close`.
                let work = unsafe { &*work };
                let outcome = catch_unwind(AssertUnwindSafe(|| self.take_pieces(count, work)));
                if let Err(panic) = outcome {
                    // Dropping the payload may panic again, and `close` waits for this worker.
                    std::mem::forget(panic);
                    self.panicked.store(true, SeqCst);
                    self.next.store(count, SeqCst);
                }
            }
        }
        self.active.fetch_sub(1, SeqCst);
        seen
    }

    /// Returns when there is another job than `seen`: spins for a while, then sleeps.
    fn wait(&self, worker: &Worker, seen: usize) {
        let lookout = Lookout::begin();
        while lookout.goes_on() {
            for _ in 0..LOOKS {
                if self.started.load(SeqCst) != seen {
                    return;
                }
                spin_loop();
            }
            // The plugin may have woken a thread that this one keeps from its core.
            yield_now();
        }
        self.sleeping.fetch_add(1, SeqCst);
        worker.is_asleep.store(true, SeqCst);
        while self.started.load(SeqCst) == seen {
            park();
        }
        worker.is_asleep.store(false, SeqCst);
        worker.affinity.restore();
        self.sleeping.fetch_sub(1, SeqCst);
    }
}

impl Team {
    /// As [`Pool::for_each`].
    pub fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) -> Result<(), Error> {
        if count <= 1 || self.threads == 1 {
            return Serial.for_each(count, work);
        }
        let _caller = match self.caller.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Serial.for_each(count, work),
        };
        self.open(count, work);
        let own = catch_unwind(AssertUnwindSafe(|| self.take_pieces(count, work)));
        let panicked = own.is_err();
        if let Err(panic) = own {
            std::mem::forget(panic);
            // No thread starts another piece.
            self.next.store(count, SeqCst);
        }
        self.close();
        if panicked | self.panicked.load(SeqCst) { Err(Error::Panicked) } else { Ok(()) }
    }
}

impl std::fmt::Debug for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Team").field("threads", &self.threads).finish_non_exhaustive()
    }
}
