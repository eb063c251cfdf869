//! A long mixed workload, after which the process is as large as it was in the middle.
//!
//! Apart from `it`: it measures the memory, threads and descriptors of its process.

#![cfg(target_os = "linux")]

mod sample;
mod work;

use hloom_runtime::Platform;
use hloom_test_support::cpus;
use sample::Sample;
use std::{
    sync::{
        LazyLock, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};
use work::Work;

static CPU: LazyLock<Platform> = LazyLock::new(|| cpus(1));

/// Several devices, for meshes.
static CPUS: LazyLock<Platform> = LazyLock::new(|| cpus(4));

/// Threads that work at the same time.
const THREADS: u64 = 3;

/// A unit of work takes milliseconds.
const HANG: Duration = Duration::from_secs(120);

#[test]
fn every_kind_of_work_succeeds() {
    for (_, work) in work::kinds() {
        (0..2).for_each(work);
    }
}

#[test]
#[ignore = "takes an hour: cargo xtask campaign soak"]
fn mixed_work_leaves_nothing_behind() {
    let minutes = std::env::var("HLOOM_SOAK_MINUTES")
        .map_or(60.0, |minutes| minutes.parse().expect("a number"));
    let length = Duration::from_secs_f64(60.0 * minutes);
    let samples = soak(length, (length / 24).min(Duration::from_secs(60)));
    let grown = sample::growth(&samples);
    assert!(grown.is_empty(), "{grown:#?}");
}

/// Works for this time on all threads, and samples the process at every interval, while no work is
/// in flight.
fn soak(length: Duration, interval: Duration) -> Vec<Sample> {
    let kinds = work::kinds();
    let counts: Vec<AtomicU64> = kinds.iter().map(|_| AtomicU64::new(0)).collect();
    let (begin, over) = (Instant::now(), AtomicBool::new(false));
    // Workers read-lock it, the sampler write-locks it.
    let turn = RwLock::new(());
    let mut samples = Vec::new();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|seed| {
                let (over, turn, kinds, counts) = (&over, &turn, &kinds, &counts);
                scope.spawn(move || work_until(over, turn, kinds, counts, seed))
            })
            .collect();
        let stop = Stop(&over);
        while begin.elapsed() < length {
            thread::sleep(interval.min(length.saturating_sub(begin.elapsed())));
            if workers.iter().any(|worker| worker.is_finished()) {
                // Its panic propagates to this test when the scope ends.
                break;
            }
            let sample = between_units(&turn, || Sample::take(begin.elapsed()));
            let done =
                kinds.iter().zip(&counts).map(|((name, _), count)| (*name, count.load(Relaxed)));
            println!("{}", sample.json(done));
            samples.push(sample);
        }
        drop(stop);
    });
    samples
}

/// Stops the work, even when the sampling thread panics.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

fn work_until(
    over: &AtomicBool,
    turn: &RwLock<()>,
    kinds: &[(&str, Work)],
    counts: &[AtomicU64],
    seed: u64,
) {
    let mut state = seed;
    while !over.load(Relaxed) {
        let _turn = turn.read().expect("no one who looks has panicked");
        // A linear congruential generator, whose upper bits are good enough to choose by.
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let kind = (state >> 33) as usize % kinds.len();
        (kinds[kind].1)(state >> 40);
        counts[kind].fetch_add(1, Relaxed);
    }
}

/// Samples while no unit of work is in flight. Aborts the process if one never ends.
fn between_units<R>(turn: &RwLock<()>, look: impl FnOnce() -> R) -> R {
    let begin = Instant::now();
    let mut quiet = None;
    let watched = AtomicBool::new(true);
    thread::scope(|scope| {
        scope.spawn(|| {
            while watched.load(Relaxed) {
                if begin.elapsed() > HANG {
                    eprintln!("a unit of work has not ended for {HANG:?}");
                    std::process::exit(101);
                }
                thread::sleep(Duration::from_millis(20));
            }
        });
        quiet = Some(turn.write());
        watched.store(false, Relaxed);
    });
    // Threads and descriptors that have just been dropped may take a moment to disappear.
    thread::sleep(Duration::from_millis(100));
    let seen = look();
    drop(quiet);
    seen
}
