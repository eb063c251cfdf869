//! Compilations by many threads and in the background.

use super::{row, softmax};
use hloom_graph::{DType, Spec, Tensor};
use hloom_runtime::{Buckets, Buffer};
use hloom_test_support::CPU;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

fn wait_until(done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "it takes too long");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_bucket_is_compiled_once_for_all_threads() {
    let traces = Arc::new(AtomicUsize::new(0));
    let counter = traces.clone();
    let counted = move |x: Tensor, length: Tensor| {
        counter.fetch_add(1, Relaxed);
        softmax(x, length)
    };
    let spec = Spec::f32([("seq", 1)]);
    let exe = CPU.compile_buckets(counted, (spec,), Buckets::pow2("seq", 4..=16)).unwrap();
    // The smallest bucket and the largest one are traced to compare their results.
    assert_eq!(traces.swap(0, Relaxed), 2);
    exe.compile_all();
    thread::scope(|scope| {
        for thread in 0..8 {
            let exe = exe.clone();
            scope.spawn(move || {
                for step in 0..48 {
                    let length = (step * 7 + thread * 3) % 16 + 1;
                    let found = exe.call((&row(length),)).unwrap();
                    assert_eq!(found.shape().sizes(), [length]);
                    let sum: f32 = found.to_vec::<f32>().unwrap().iter().sum();
                    assert!((sum - 1.0).abs() < 1e-5, "{sum}");
                }
            });
        }
    });
    let stats = exe.stats();
    assert_eq!(stats.hits + stats.misses, 8 * 48);
    assert_eq!(stats.compiled, [[4], [8], [16]]);
    assert_eq!(traces.load(Relaxed), 3);
}

#[test]
fn every_bucket_is_compiled_in_the_background() {
    let spec = Spec::f32([("batch", 1), ("seq", 1)]);
    let both = |x: Tensor, [_, length]: [Tensor; 2]| softmax(x, length);
    let buckets = Buckets::sizes("batch", [1, 2]).and(Buckets::sizes("seq", [4, 8]));
    let exe = CPU.compile_buckets(both, (spec,), buckets).unwrap();
    exe.warm_up([[1, 3], [1, 4], [9, 9]]);
    wait_until(|| exe.stats().compiled == [[1, 4]]);
    exe.compile_all();
    wait_until(|| exe.stats().compiled == [[1, 4], [1, 8], [2, 4], [2, 8]]);
    assert_eq!((exe.stats().hits, exe.stats().misses), (0, 0));
}

#[test]
fn an_error_in_the_background_is_that_of_the_call() {
    let refuses = |x: Tensor, length: Tensor| match x.size("seq") {
        8 => x + Tensor::zeros(DType::F32, [("seq", 3)]),
        16 => panic!("a panic of a test"),
        _ => softmax(x, length),
    };
    let spec = Spec::f32([("seq", 1)]);
    let exe = CPU.compile_buckets(refuses, (spec,), Buckets::pow2("seq", 4..=32)).unwrap();
    exe.compile_all();
    wait_until(|| exe.is_compiled(32));
    for _ in 0..2 {
        let error = exe.call((&row(7),)).unwrap_err().to_string();
        assert!(error.starts_with("add: axis `seq` has size 8 on the left and 3"), "{error}");
    }
    let panics = exe.clone();
    assert!(thread::spawn(move || panics.call((&row(9),))).join().is_err());
    assert!(exe.call((&row(20),)).is_ok(), "other buckets are not affected");
}

#[test]
fn dropping_an_executable_ends_its_threads() {
    let held = Arc::new(());
    let holder = held.clone();
    let holds = move |x: Tensor, length: Tensor| {
        let _ = &holder;
        softmax(x, length)
    };
    let spec = Spec::f32([("seq", 1)]);
    let exe = CPU.compile_buckets(holds, (spec,), Buckets::multiples("seq", 1, 1..=500)).unwrap();
    exe.compile_all();
    let bound: Buffer = row(3);
    exe.call((&bound,)).unwrap();
    drop(exe);
    assert_eq!(Arc::strong_count(&held), 1, "no thread keeps the function");
}
