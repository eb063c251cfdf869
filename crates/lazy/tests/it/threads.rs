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
