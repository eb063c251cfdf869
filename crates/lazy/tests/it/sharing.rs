//! Programs: what is computed once, and what is compiled once.

use crate::own_platform;
use hloom_graph::{DType, Tensor};
use hloom_lazy::{Lazy, LazyState, clear_programs, forget, realize_all, stats};

/// U4: realized tensors are arguments, one for each buffer, and their values are not computed
/// again.
#[test]
fn realized_tensors_are_arguments() {
    let cpu = own_platform();
    let x = Lazy::from_slice(&cpu, &[1.0f32, 2.0], [2]).unwrap();
    let y = x.exp();
    y.realize().unwrap();
    assert_eq!(stats(&cpu).runs, 1);
    let z = &y + &x + &y + &y.clone();
    let e = 1.0f32.exp();
    assert!((z.to_vec::<f32>().unwrap()[0] - (3.0 * e + 1.0)).abs() < 1e-5);
    assert_eq!((stats(&cpu).runs, stats(&cpu).misses), (2, 2));
    forget(&cpu);
}

/// Tensors without handles are parts of a program; tensors with handles are computed by the same
/// program, so that they are not computed again.
#[test]
fn what_nobody_holds_is_not_kept() {
    let cpu = own_platform();
    let x = Lazy::from_slice(&cpu, &[1.0f32, 2.0], [2]).unwrap();
    let held = &x + 1;
    let y = (&held * 2).sum(0);
    assert_eq!(y.item::<f32>().unwrap(), 10.0);
    assert_eq!(held.state(), LazyState::Realized);
    assert_eq!(stats(&cpu).runs, 1);
    assert_eq!(held.to_vec::<f32>().unwrap(), [2.0, 3.0]);
    assert_eq!(stats(&cpu).runs, 1);
    forget(&cpu);
}

#[test]
fn several_tensors_are_one_program() {
    let cpu = own_platform();
    let x = Lazy::from_slice(&cpu, &[1.0f32, 2.0], [2]).unwrap();
    let (a, b) = (&x + 1, &x * 5);
    realize_all([&a, &b, &a]).unwrap();
    assert_eq!(stats(&cpu).runs, 1);
    assert_eq!(a.to_vec::<f32>().unwrap(), [2.0, 3.0]);
    assert_eq!(b.to_vec::<f32>().unwrap(), [5.0, 10.0]);
    forget(&cpu);
}

/// U5: the same structure with other data is not compiled again, whichever way it was written; the
/// platform counts hits, misses and the time of compiling.
#[test]
fn one_structure_is_compiled_once() {
    let cpu = own_platform();
    for step in 0..5 {
        let x = Lazy::from_slice(&cpu, &[step as f32, 2.0], [2]).unwrap();
        let w = Lazy::scalar(&cpu, step as f32).unwrap();
        let y = ((&x * &w).tanh() + 1).sum(0);
        let expected = (step * step) as f32;
        let expected = expected.tanh() + (2.0 * step as f32).tanh() + 2.0;
        assert!((y.item::<f32>().unwrap() - expected).abs() < 1e-5);
    }
    let before = stats(&cpu);
    assert_eq!((before.hits, before.misses, before.programs), (4, 1, 1));
    assert!(before.compile_time.as_micros() > 0);
    // Pieces that are traced anew have the same structure too.
    for _ in 0..3 {
        let x = Lazy::from_slice(&cpu, &[1.0f32, 2.0], [2]).unwrap();
        let y = hloom_lazy::call(|x: Tensor| x.reshape([2, 1]) * 3, x);
        assert_eq!(y.pad(0, 1, 0, 9).to_vec::<f32>().unwrap(), [9.0, 3.0, 6.0]);
    }
    assert_eq!(stats(&cpu).misses, 2);
    // Different numbers, shapes and names of axes make different programs.
    let x = Lazy::from_slice(&cpu, &[1.0f32, 2.0], [2]).unwrap();
    (&x + 1).realize().unwrap();
    (&x + 2).realize().unwrap();
    (&x.named(["n"]) + 2).realize().unwrap();
    assert_eq!(stats(&cpu).misses, 5);
    clear_programs(&cpu);
    assert_eq!(stats(&cpu).programs, 0);
    forget(&cpu);
}

/// A loop of a hundred thousand ops that are dropped unread, and a deep chain that is dropped,
/// compute nothing.
#[test]
fn dropped_tensors_are_never_computed() {
    let cpu = own_platform();
    let limits = hloom_lazy::Limits { nodes: usize::MAX, bytes: usize::MAX };
    hloom_lazy::set_limits(&cpu, limits);
    assert_eq!(hloom_lazy::limits(&cpu), limits);
    let mut x = Lazy::zeros(&cpu, DType::F32, [2]);
    for _ in 0..100_000 {
        x = &x + 1;
    }
    drop(x);
    assert_eq!(stats(&cpu).runs, 0);
    forget(&cpu);
}
