//! The threads of kernels.

use hloom_kernels::{Error, Pool, Scoped, Serial, Workers};
use std::{
    panic::panic_any,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

/// The payload of a panic that panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("the payload is dropped");
    }
}

/// Runs pieces that panic on the caller's thread, or on the other ones.
fn panics(pool: &dyn Pool, on_caller: bool) -> Result<(), Error> {
    let caller = thread::current().id();
    pool.for_each(64, &|_| {
        if (thread::current().id() == caller) == on_caller {
            panic_any(Bomb);
        }
        // The other threads wake up meanwhile.
        thread::sleep(Duration::from_millis(1));
    })
}

fn check(pool: &dyn Pool) {
    for _ in 0..5 {
        for on_caller in [true, false] {
            let outcome = panics(pool, on_caller);
            // A pool may have no other thread, on a machine with one core.
            if on_caller || pool.threads() > 1 {
                assert!(matches!(outcome, Err(Error::Panicked)), "{on_caller}: {outcome:?}");
            }
        }
    }
    let sum = AtomicUsize::new(0);
    let add = |piece| {
        sum.fetch_add(piece, Ordering::Relaxed);
    };
    pool.for_each(64, &add).expect("no piece panics");
    assert_eq!(sum.into_inner(), 64 * 63 / 2);
}

#[test]
fn a_panic_whose_payload_panics_is_an_error() {
    let (done, ended) = mpsc::channel();
    thread::spawn(move || {
        check(&Serial);
        check(&Scoped(4));
        // Miri reports workers, which never end.
        if !cfg!(miri) {
            check(&Workers::get());
        }
        done.send(()).expect("the test waits");
    });
    ended.recv_timeout(Duration::from_secs(60)).expect("a thread panics, or the caller waits");
}
