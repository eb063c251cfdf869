//! The threads of kernels.

use hloom_kernels::{Error, Pool, Scoped, Serial, Workers};
use std::{
    panic::panic_any,
    sync::atomic::{AtomicUsize, Ordering},
};

/// The payload of a panic that panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("the payload is dropped");
    }
}

#[test]
fn a_panic_whose_payload_panics_is_an_error() {
    let pools: [&dyn Pool; 3] = [&Serial, &Scoped(4), &Workers::get()];
    for pool in pools {
        for _ in 0..20 {
            let outcome = pool.for_each(64, &|_| panic_any(Bomb));
            assert!(matches!(outcome, Err(Error::Panicked)), "{outcome:?}");
        }
        let sum = AtomicUsize::new(0);
        let add = |piece| {
            sum.fetch_add(piece, Ordering::Relaxed);
        };
        pool.for_each(64, &add).expect("no piece panics");
        assert_eq!(sum.into_inner(), 64 * 63 / 2);
    }
}
