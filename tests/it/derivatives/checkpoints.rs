//! Checkpoints: the same derivatives, less memory.

use super::{assert_near, run};
use crate::platforms::{cpu, platforms};
use hloom::{
    CheckpointPolicy, checkpoint, checkpoint_name, concatenate, grad, jvp, prelude::*,
    value_and_grad, vmap,
};

/// Every policy, with names that some functions here use.
fn policies() -> [CheckpointPolicy; 4] {
    [
        CheckpointPolicy::NothingSaveable,
        CheckpointPolicy::DotsSaveable,
        CheckpointPolicy::DotsWithNoBatchDimsSaveable,
        CheckpointPolicy::save_only_these_names(["hidden", "other"]),
    ]
}

/// A function with composites, products, a loop, a branch and a constant.
fn layer(x: Tensor, w: Tensor) -> Tensor {
    let hidden = checkpoint_name(x.matmul(w).gelu(), "hidden");
    let mixed = hidden.softmax(1).matmul(w) + (w * 2).stop_gradient();
    let looped = for_loop(2, mixed, |_, c| checkpoint_name((c * x).sin(), "other") + c);
    let is_positive = x.index(0, 0).index(0, 0).gt(0);
    cond(is_positive, || looped * w, || looped.cos())
}

fn specs() -> Vec<Spec> {
    vec![Spec::f64([4, 4]), Spec::f64([4, 4])]
}

/// A loss of several layers, each as `step` computes it; `w` is a tensor of outside.
fn loss(x: Tensor, w: Tensor, step: &dyn Fn(Tensor, Tensor) -> Tensor) -> Tensor {
    let x = step(step(x, w), w);
    let x = scan(x, x, 0, |c, row| {
        let next = step(c, w) * row;
        (next, next.sum(0))
    });
    (x.0 * x.0).sum(..) + x.1.sin().sum(..)
}

fn checkpointed(policy: &CheckpointPolicy) -> impl Fn(Tensor, Tensor) -> Tensor {
    let policy = policy.clone();
    move |x, w| checkpoint(x, policy.clone(), |x| layer(x, w))
}

#[test]
fn gradients_are_the_same_with_every_policy() {
    let of = |step: &dyn Fn(Tensor, Tensor) -> Tensor| {
        run(cpu(), &specs(), |xs| {
            let (value, of) = value_and_grad(xs, |xs| loss(xs[0], xs[1], step));
            [&[value][..], &of].concat()
        })
    };
    let expected = of(&layer);
    for policy in policies() {
        assert_near(&format!("{policy:?}"), &of(&checkpointed(&policy)), &expected);
    }
}

#[test]
fn checkpoints_nest() {
    let nested = |x: Tensor, w: Tensor| {
        let policy = CheckpointPolicy::DotsSaveable;
        checkpoint((x, w), policy, |(x, w)| {
            let inner = checkpoint(x, CheckpointPolicy::NothingSaveable, |x| layer(x, w));
            layer(inner, w)
        })
    };
    let plain = |x: Tensor, w: Tensor| layer(layer(x, w), w);
    let of = |step: fn(Tensor, Tensor) -> Tensor| {
        run(cpu(), &specs(), |xs| grad(xs, |xs| step(xs[0], xs[1]).sum(..)))
    };
    assert_near("nested", &of(nested), &of(plain));
}

#[test]
fn higher_derivatives_and_maps_are_the_same() {
    let of = |step: &dyn Fn(Tensor, Tensor) -> Tensor| {
        run(cpu(), &specs(), |xs| {
            let (x, w) = (xs[0], xs[1]);
            let value = |x: Tensor, w: Tensor| step(x, w).sin().sum(..);
            let gradient = |x: Tensor, w: Tensor| grad((x, w), |(x, w)| value(x, w));
            let second = grad((x, w), |(x, w)| {
                let (of_x, of_w) = gradient(x, w);
                (of_x * of_x).sum(..) + of_w.sin().sum(..)
            });
            let (_, forward) = jvp(x, w, |x| step(x, w));
            let several = concatenate(&[x.insert_axis(0, "_"), w.insert_axis(0, "_")], 0);
            let mapped = vmap(several, 0, |x| gradient(x, w));
            let of_map =
                grad((several, w), |(several, w)| vmap(several, 0, |x| step(x, w)).cos().sum(..));
            vec![second.0, second.1, forward, mapped.0, mapped.1, of_map.0, of_map.1]
        })
    };
    let expected = of(&layer);
    for policy in policies() {
        assert_near(&format!("{policy:?}"), &of(&checkpointed(&policy)), &expected);
    }
}

/// The planned bytes of temporaries of the gradient of a deep chain. Each link has many values of
/// `[n, n]`, and a product.
fn temporaries(platform: &Platform, policy: Option<CheckpointPolicy>) -> i64 {
    const DEPTH: usize = 16;
    let chain = move |x: Tensor, w: Tensor| {
        let link = |x: Tensor| {
            let y = checkpoint_name(x.matmul(w), "product").sin();
            let y = y * y.cos();
            (y.matmul(w).tanh() * y.exp()).matmul(w).tanh()
        };
        let next = |x: Tensor| match &policy {
            Some(policy) => checkpoint(x, policy.clone(), link),
            None => link(x),
        };
        (0..DEPTH).fold(x, |x, _| next(x)).sum(..)
    };
    let specs = (Spec::f32([128, 128]), Spec::f32([128, 128]));
    let function = |x: Tensor, w: Tensor| grad(w, |w| chain(x, w));
    let exe = platform.compile(function, specs).expect("the gradient compiles");
    exe.any().memory().expect("the plugin reports memory").temporaries
}

#[test]
fn a_checkpointed_chain_needs_less_memory() {
    for platform in platforms() {
        let plain = temporaries(platform, None);
        let nothing = temporaries(platform, Some(CheckpointPolicy::NothingSaveable));
        let named = CheckpointPolicy::save_only_these_names(["product"]);
        let named = temporaries(platform, Some(named));
        let dots = temporaries(platform, Some(CheckpointPolicy::DotsSaveable));
        println!(
            "{}: temporaries of {plain} bytes, checkpoints {nothing}, one product saved {named}, \
             all products saved {dots}",
            platform.name()
        );
        assert!(nothing * 2 < plain, "{nothing} of {plain} bytes");
        assert!(
            nothing < named && named < dots && dots < plain,
            "{nothing} {named} {dots} {plain}"
        );
    }
}
