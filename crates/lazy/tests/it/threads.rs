//! Threads that build and realize over shared tensors.

use crate::own_platform;
use hloom_lazy::{Lazy, forget, stats};
use std::sync::Barrier;

/// Eight threads build and realize graphs over the same leaves and the same pending tensors: no
/// deadlock, and no structure is compiled twice.
#[test]
fn one_key_is_compiled_once_by_eight_threads() {
    let cpu = own_platform();
    let x = Lazy::from_slice(&cpu, &[1.0f32, 2.0, 3.0], [3]).unwrap();
    let start = Barrier::new(8);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (x, start) = (&x, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..20 {
                    let mut y = x * x;
                    for _ in 0..(round + thread) % 4 {
                        y = y * 0.5 + x;
                    }
                    let sum = y.sum(0).item::<f32>().unwrap();
                    let mut expected = [1.0f32, 4.0, 9.0];
                    for _ in 0..(round + thread) % 4 {
                        for (i, y) in expected.iter_mut().enumerate() {
                            *y = *y * 0.5 + (i + 1) as f32;
                        }
                    }
                    assert_eq!(sum, expected.iter().sum::<f32>());
                }
            });
        }
    });
    let stats = stats(&cpu);
    assert_eq!(stats.misses, stats.programs as u64, "{stats:?}");
    assert_eq!(stats.hits + stats.misses, stats.runs);
    // `y` is a handle or not when the sum is read: two structures for each length at most.
    assert!(stats.misses <= 8, "{stats:?}");
    forget(&cpu);
}

#[test]
fn pending_tensors_are_shared_by_threads() {
    let cpu = own_platform();
    for round in 0..20 {
        let x = Lazy::from_slice(&cpu, &[round as f32, 2.0], [2]).unwrap();
        let shared = (&x + 1) * 3;
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (shared, start) = (&shared, &start);
                scope.spawn(move || {
                    start.wait();
                    let own = (shared + thread).to_vec::<f32>().unwrap();
                    let expected = (round as f32 + 1.0) * 3.0 + thread as f32;
                    assert_eq!(own, [expected, 9.0 + thread as f32]);
                });
            }
        });
    }
    let stats = stats(&cpu);
    assert_eq!(stats.misses, stats.programs as u64, "{stats:?}");
    forget(&cpu);
}

#[test]
fn lazy_tensors_are_usable_in_destructors_of_a_thread() {
    use std::{cell::RefCell, sync::mpsc};

    type Outcome = Result<Vec<f32>, String>;
    /// A tensor and where its results are sent.
    struct Last(Option<Lazy>, mpsc::Sender<[Outcome; 2]>);

    fn known(x: &Lazy) -> Outcome {
        let y = hloom_lazy::call(|x: hloom_graph::Tensor| x.sin() * 0.0 + 1.0, x.clone());
        (x * 3 + y).to_vec().map_err(|error| error.to_string())
    }

    impl Drop for Last {
        fn drop(&mut self) {
            let x = self.0.take().unwrap();
            let unknown = (&x - 3).exp().to_vec().map_err(|error| error.to_string());
            self.1.send([known(&x), unknown]).unwrap();
        }
    }
    thread_local! {
        static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
    }
    let (sender, results) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        // The values of a thread are dropped from the one that was used last to the first.
        LAST.set(None);
        let x = Lazy::from_slice(&own_platform(), &[1.0f32, 2.0], [2]).unwrap();
        assert_eq!(known(&x), Ok(vec![4.0, 7.0]));
        LAST.set(Some(Last(Some(x), sender)));
    });
    thread.join().unwrap();
    let [known, unknown] = results.recv().unwrap();
    assert_eq!(known, Ok(vec![4.0, 7.0]), "a program that was compiled before");
    let error = unknown.unwrap_err();
    assert!(error.contains("this thread is ending"), "{error}");
}
