//! Pending graphs that are realized by themselves.

use crate::own_platform;
use hloom_graph::DType;
use hloom_lazy::{Lazy, Limits, forget, set_limits, stats};
use hloom_test_support::{is_alone, resident_kib};

/// A loop without any read runs in pieces, which are compiled twice at most: the first one, which
/// begins before the loop, and one for all others. The memory does not grow with the steps.
fn an_eager_loop(steps: usize) {
    let cpu = own_platform();
    set_limits(&cpu, Limits { nodes: 50, ..Limits::default() });
    let step = Lazy::scalar(&cpu, 0.5f32).unwrap();
    let mut x = Lazy::zeros(&cpu, DType::F32, [4]) + 1;
    let (mut expected, mut memory) = (1.0f32, 0);
    let warm = steps / 5;
    for i in 0..steps {
        let y = (&x * &step).tanh();
        x = &x * 0.9 + &y * 0.1 + 0.5;
        let y = (expected * 0.5).tanh();
        expected = expected * 0.9 + y * 0.1 + 0.5;
        if i == warm {
            memory = resident_kib("RssAnon");
        }
    }
    let found = x.to_vec::<f32>().unwrap()[3];
    assert!((found - expected).abs() <= 1e-4 * expected.abs(), "{found} {expected}");
    let stats = stats(&cpu);
    assert!(stats.cuts > steps as u64 / 15, "{stats:?}");
    assert!(stats.misses <= 6, "{stats:?}");
    let grown = resident_kib("RssAnon").saturating_sub(memory) << 10;
    let each = grown / (steps - warm);
    println!("{grown} bytes for {} steps, {each} for each", steps - warm);
    assert!(each < 200, "{each} bytes for each step");
    forget(&cpu);
}

#[test]
fn an_eager_loop_is_cut_at_the_same_op() {
    // Alone: the memory is that of the loop.
    if is_alone("cuts::an_eager_loop_is_cut_at_the_same_op") {
        an_eager_loop(50_000);
    }
}

#[test]
#[ignore = "takes minutes: cargo test --release -p hloom-lazy --test it -- --ignored million"]
fn a_million_steps_take_constant_memory() {
    an_eager_loop(1_000_000);
}

#[test]
fn large_results_are_cut_earlier() {
    let cpu = own_platform();
    set_limits(&cpu, Limits { bytes: 1 << 20, ..Limits::default() });
    let mut x = Lazy::zeros(&cpu, DType::F32, [1 << 16]);
    for _ in 0..20 {
        x = x + 1;
    }
    assert!((3..=7).contains(&stats(&cpu).cuts), "{:?}", stats(&cpu));
    assert_eq!(x.index(0, 0).item::<f32>().unwrap(), 20.0);
    forget(&cpu);
}

/// A graph with much sharing is as large as its nodes, not as its paths.
#[test]
fn shared_nodes_are_counted_once() {
    let cpu = own_platform();
    let mut x = Lazy::zeros(&cpu, DType::F32, [2]) + 1;
    for _ in 0..100 {
        x = (&x + &x) * 0.5;
    }
    assert_eq!(stats(&cpu).cuts, 0);
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, 1.0]);
    forget(&cpu);
}
