//! A training step updates parameters and state in place.

use hloom_graph::{Spec, Tensor, Tree, value_and_grad};
use hloom_optim::{Adafactor, AdamW, Lion, Optimizer, Sgd};
use hloom_runtime::{Buffer, Donated};
use hloom_test_support::CPU_BY_TEST as CPU;

type Weights<L> = (L, L);

fn loss((v, w): Weights<Tensor>, x: Tensor) -> Tensor {
    let hidden = x.dot(v, "in").tanh();
    (hidden.dot(w, "hidden") - x.sum("in")).square().mean(..)
}

/// The addresses of all buffers of a tree.
fn addresses<T: Tree<Leaf = Buffer>>(tree: &T) -> Vec<(String, usize)> {
    let mut all = Vec::new();
    tree.visit(&mut |path, buffer| {
        all.push((path.to_string(), buffer.as_pjrt().unsafe_pointer().unwrap()));
    });
    all
}

macro_rules! updates_in_place {
    ($optimizer:expr) => {{
        let weights: Weights<Spec> =
            (Spec::f32([("hidden", 64), ("in", 32)]), Spec::f32([("hidden", 64)]));
        let specs = (weights.clone(), $optimizer.state_spec(&weights));
        let x = Spec::f32([("batch", 8), ("in", 32)]);
        let step = |(weights, state): (Weights<Tensor>, _), x: Tensor| {
            let (loss, gradient) = value_and_grad(weights, |weights| loss(weights, x));
            ($optimizer.update(weights, gradient, state, 0.01), loss)
        };
        let exe = CPU.compile(step, (Donated(specs.clone()), x.clone())).unwrap();
        let mut run = Buffer::zeros_tree(&*CPU, specs).unwrap();
        let x = Buffer::zeros(&*CPU, x).unwrap();
        let start = addresses(&run);
        for _ in 0..3 {
            (run, _) = exe.call((run, &x)).unwrap();
            assert_eq!(addresses(&run), start);
        }
        start.len()
    }};
}

#[test]
fn a_step_allocates_nothing_for_parameters_and_state() {
    let counts = [
        updates_in_place!(Sgd::new().momentum(0.9)),
        updates_in_place!(AdamW::new()),
        updates_in_place!(Lion::new()),
        updates_in_place!(Adafactor::new()),
    ];
    println!("buffers in place: {counts:?}");
    assert!(counts.iter().all(|&count| count > 2), "{counts:?}");
}
