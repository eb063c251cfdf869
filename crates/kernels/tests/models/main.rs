//! The team of workers under a model checker, which explores the interleavings of its threads.
//!
//! Apart from `it`: the sources are compiled with the checker's atomics and threads.

mod sync;
#[path = "../../src/team.rs"]
mod team;

use hloom_kernels::{Error, Pool, Serial};
use loom::{
    cell::UnsafeCell,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
};
use std::{panic::resume_unwind, sync::Arc};
use team::Team;

/// Explores the interleavings of a model's threads with at most two preemptions, or, if
/// `HLOOM_MODELS` is `thorough`, with at most `preemptions` (`None`: all interleavings).
fn check(preemptions: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let mut checker = loom::model::Builder::new();
    let thorough = std::env::var_os("HLOOM_MODELS").is_some_and(|depth| depth == "thorough");
    checker.preemption_bound = if thorough { preemptions } else { Some(2) };
    checker.max_branches = 10_000;
    checker.check(model);
}

/// A team with this many workers, which help until the team is dismissed.
struct Staffed {
    team: Arc<Team>,
    over: Arc<AtomicBool>,
    workers: Vec<thread::JoinHandle<()>>,
}

impl Staffed {
    fn new(workers: usize) -> Staffed {
        let team = Arc::new(Team::new(1 + workers));
        let over = Arc::new(AtomicBool::new(false));
        let worker = |_| {
            let (team, over) = (Arc::clone(&team), Arc::clone(&over));
            thread::spawn(move || {
                let worker = team.join();
                let mut seen = 0;
                while !over.load(Relaxed) {
                    seen = team.help(&worker, seen);
                }
            })
        };
        let workers = (0..workers).map(worker).collect();
        Staffed { team, over, workers }
    }

    /// Releases the workers with a last job, which reaches all of them.
    fn dismiss(self) {
        self.over.store(true, Relaxed);
        do_all(&self.team, 2);
        self.workers.into_iter().for_each(|worker| worker.join().expect("it has not panicked"));
    }
}

/// Runs a job of `count` pieces, and checks that each was done once.
fn do_all(team: &Team, count: usize) {
    // The checker detects any two unsynchronized accesses.
    let done: Vec<UnsafeCell<usize>> = (0..count).map(|_| UnsafeCell::new(0)).collect();
    struct Cells<'a>(&'a [UnsafeCell<usize>]);
    // SAFETY: the checker fails the test at the first concurrent access.
    unsafe impl Sync for Cells<'_> {}
    impl Cells<'_> {
        fn add(&self, piece: usize) {
            // SAFETY: as above.
            self.0[piece].with_mut(|done| unsafe { *done += 1 });
        }
    }
    let cells = Cells(&done);
    team.for_each(count, &|piece| cells.add(piece)).expect("no piece panics");
    for done in done {
        // SAFETY: as above.
        assert_eq!(done.with(|done| unsafe { *done }), 1);
    }
}

#[test]
fn each_piece_is_done_once() {
    check(Some(4), || {
        let staffed = Staffed::new(1);
        do_all(&staffed.team, 2);
        staffed.dismiss();
    });
}

#[test]
fn two_workers_share_a_job() {
    check(Some(3), || Staffed::new(2).dismiss());
}

#[test]
fn two_callers_at_a_time_both_end() {
    check(Some(3), || {
        let staffed = Staffed::new(1);
        let team = Arc::clone(&staffed.team);
        let other = thread::spawn(move || do_all(&team, 2));
        do_all(&staffed.team, 2);
        other.join().expect("it has not panicked");
        staffed.dismiss();
    });
}

#[test]
fn a_panic_ends_the_job_and_no_other() {
    check(Some(4), || {
        let staffed = Staffed::new(1);
        let outcome = staffed.team.for_each(2, &|piece| {
            if piece == 1 {
                // Without the hook's message.
                resume_unwind(Box::new("as asked for"));
            }
        });
        assert!(matches!(outcome, Err(Error::Panicked)));
        staffed.dismiss();
    });
}
