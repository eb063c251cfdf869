//! Checkpoints: the same derivatives, less memory.

use super::{assert_near, run};
use crate::platforms::{cpu, platforms};
use hloom::{
    grad, jvp,
    ops::concatenate,
    prelude::*,
    transforms::{CheckpointPolicy, checkpoint, checkpoint_name},
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

/// The links of a chain, and the size of its square matrices.
const DEPTH: usize = 16;
const SIZE: usize = 128;

/// The bytes of a matrix of each link but the last, whose matrix is in memory together with the
/// values of its backward pass in any case.
const OF_EACH: i64 = ((DEPTH - 1) * SIZE * SIZE * size_of::<f32>()) as i64;

/// A link with many values, of which its derivative needs the three products: all others follow
/// from them without a product.
fn link(x: Tensor, w: Tensor) -> Tensor {
    let y = checkpoint_name(x.matmul(w), "product").sin();
    let y = y * y.cos();
    (y.matmul(w).tanh() * y.exp()).matmul(w).tanh()
}

/// The ways in which the links of a chain are written.
#[derive(Clone, Copy, Debug)]
enum Form {
    Unrolled,
    ForLoop,
    Scan,
}

/// The planned bytes of temporaries of the gradient of a deep chain.
fn temporaries(platform: &Platform, form: Form, policy: Option<CheckpointPolicy>) -> i64 {
    let chain = move |x: Tensor, w: Tensor| {
        let next = |x: Tensor| match &policy {
            Some(policy) => checkpoint(x, policy.clone(), |x| link(x, w)),
            None => link(x, w),
        };
        let last = match form {
            Form::Unrolled => (0..DEPTH).fold(x, |x, _| next(x)),
            Form::ForLoop => for_loop(DEPTH, x, |_, x| next(x)),
            Form::Scan => {
                let scales = Tensor::arange(DType::F32, "step", DEPTH);
                scan(x, scales, 0, |x, scale| (next(x) * scale, scale)).0
            }
        };
        last.sum(..)
    };
    let specs = (Spec::f32([SIZE, SIZE]), Spec::f32([SIZE, SIZE]));
    let function = |x: Tensor, w: Tensor| grad(w, |w| chain(x, w));
    let exe = platform.compile(function, specs).expect("the gradient compiles");
    exe.any().memory().expect("the plugin reports memory").temporaries
}

/// Two of the three products are not needed where a link is computed again from the third, the
/// input of the next link; one of them is where it is saved by its name.
#[test]
fn checkpoints_free_the_values_that_they_compute_again() {
    for platform in platforms() {
        for form in [Form::Unrolled, Form::ForLoop, Form::Scan] {
            let of = |policy| temporaries(platform, form, policy);
            let plain = of(None);
            let nothing = of(Some(CheckpointPolicy::NothingSaveable));
            let named = of(Some(CheckpointPolicy::save_only_these_names(["product"])));
            let dots = of(Some(CheckpointPolicy::DotsSaveable));
            println!(
                "{}: temporaries of {plain} bytes, checkpoints {nothing}, one product saved \
                 {named}, all products saved {dots}; {form:?}; a matrix of each link has {OF_EACH}",
                platform.name()
            );
            assert!(plain - nothing >= 2 * OF_EACH, "{nothing} of {plain} bytes");
            assert!(plain - named >= OF_EACH, "{named} of {plain} bytes");
            assert!(
                nothing < named && named < dots && dots <= plain,
                "{nothing} {named} {dots} {plain}"
            );
        }
    }
}
