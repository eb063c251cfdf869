//! Worker threads of this crate, which stay awake between the calls of a program.

use crate::{Error, Pool, pool::Sealed, team::Team};
use std::{env, sync::LazyLock, thread};

/// The process's workers: with the caller's thread, one for each core that the process may use, by
/// its affinity and the quota of its control group; or as many as the variable `PJRT_NPROC` sets,
/// or `NPROC`. CPU plugins read the same variables for their own pool.
///
/// A program calls a kernel every few microseconds, and waking a sleeping thread takes longer than
/// many of the calls. So a worker spins for a while, waiting for the next call, before it sleeps.
/// They work for one call at a time: a concurrent call runs on its own thread, so that calls from
/// many threads do not crowd the cores.
#[derive(Clone, Copy, Debug)]
pub struct Workers(&'static Team);

impl Workers {
    /// The process's workers, started on first use.
    pub fn get() -> Workers {
        static TEAM: LazyLock<&'static Team> = LazyLock::new(start);
        Workers(&TEAM)
    }
}

impl Sealed for Workers {}

impl Pool for Workers {
    fn threads(&self) -> usize {
        self.0.threads
    }

    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) -> Result<(), Error> {
        self.0.for_each(count, work)
    }
}

fn start() -> &'static Team {
    let threads = count(|name| env::var(name).ok());
    let team: &'static Team = Box::leak(Box::new(Team::new(threads)));
    for i in 1..threads {
        let thread = thread::Builder::new().name(format!("hloom-kernel-{i}"));
        let started = thread.spawn(move || {
            let worker = team.join();
            let mut seen = 0;
            loop {
                seen = team.help(&worker, seen);
            }
        });
        if let Err(error) = started {
            // The work is done by the caller and the workers that could be started.
            tracing::warn!(%error, "a worker thread could not be started");
        }
    }
    team
}

/// More threads than any machine has cores for.
const MAX_THREADS: usize = 1024;

/// The number of threads that work, given the variables of the environment.
fn count(variable: impl Fn(&str) -> Option<String>) -> usize {
    let given = |name: &str| variable(name)?.trim().parse::<i32>().ok();
    let given = given("PJRT_NPROC").or_else(|| given("NPROC"));
    match given {
        Some(given) => usize::try_from(given).unwrap_or(0).clamp(1, MAX_THREADS),
        None => thread::available_parallelism().map_or(1, usize::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::AWAKE;
    use std::{
        collections::HashSet,
        sync::{
            Mutex,
            atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst},
        },
    };

    #[test]
    fn the_variables_of_plugins_set_the_number_of_threads() {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        for (first, second, expected) in [
            (None, None, cores),
            (Some("3"), None, 3),
            (Some("3"), Some("5"), 3),
            (None, Some("5"), 5),
            (Some("many"), Some("5"), 5),
            (Some(""), None, cores),
            (Some("0"), Some("5"), 1),
            (Some("-2"), None, 1),
            (Some("2000000000"), None, MAX_THREADS),
        ] {
            let found = count(|name| match name {
                "PJRT_NPROC" => first.map(str::to_owned),
                _ => second.map(str::to_owned),
            });
            assert_eq!(found, expected, "{first:?} {second:?}");
        }
    }

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
        // The threads that worked for a call of another thread.
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
        assert!(helpers <= others, "{helpers} threads with {CALLERS} callers");
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
