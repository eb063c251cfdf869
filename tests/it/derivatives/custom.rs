//! Functions with derivatives of their own.

use super::{assert_near, run};
use crate::platforms::cpu;
use hloom::{
    callbacks::CallbackBuilder,
    grad, jvp,
    ops::concatenate,
    prelude::*,
    transforms::{CheckpointPolicy, checkpoint, custom_vjp},
    vmap,
};

/// `x * x * w`, whose own derivative is ten times the true one with respect to `x`, and that of
/// `x * w` with respect to `w`.
fn own(x: Tensor, w: Tensor) -> Tensor {
    custom_vjp((x, w), |(x, w)| (x * x * w, (x, w)), |(x, w), g| (g * x * w * 20, g * x))
}

/// A function with the derivatives of [`own`], and other values.
fn like(x: Tensor, w: Tensor) -> Tensor {
    let constant = (x * x * w).stop_gradient();
    let (of_x, of_w) = ((x * w * 20).stop_gradient(), x.stop_gradient());
    let linear = x * of_x + w * of_w;
    constant + linear - linear.stop_gradient()
}

type Step = fn(Tensor, Tensor) -> Tensor;

fn specs() -> Vec<Spec> {
    vec![Spec::f64([3]), Spec::f64([3])]
}

#[test]
fn the_derivative_is_the_functions_own() {
    let of = |step: Step| {
        run(cpu(), &specs(), |xs| {
            let (x, w) = (xs[0], xs[1]);
            let (of_x, of_w) = grad((x, w), |(x, w)| step(x, w).sin().sum(..));
            let (y, forward) = jvp(x, w, |x| step(x, w));
            vec![step(x, w), of_x, of_w, y, forward]
        })
    };
    assert_near("plain", &of(own), &of(like));
    let expected = run(cpu(), &specs(), |xs| vec![xs[0] * xs[1] * 20, xs[0]]);
    let found = run(cpu(), &specs(), |xs| grad(xs, |xs| own(xs[0], xs[1]).sum(..)));
    assert_near("by hand", &found, &expected);
}

#[test]
fn its_second_derivative_is_that_of_the_backward_pass() {
    let found = run(cpu(), &specs(), |xs| {
        grad(xs, |xs| grad(xs[0], |x| own(x, xs[1]).sum(..)).sin().sum(..))
    });
    let expected = run(cpu(), &specs(), |xs| grad(xs, |xs| (xs[0] * xs[1] * 20).sin().sum(..)));
    assert_near("second", &found, &expected);
}

/// The maximum of `x` and 0 plus a logarithm, the sum of which has the derivative of neither at 0.
fn soft(x: Tensor) -> Tensor {
    let function = |x: Tensor| x.maximum(0) + (-x.abs()).exp().log1p();
    custom_vjp(x, |x| (function(x), x), |x, g| g * x.sigmoid())
}

#[test]
fn its_results_keep_it_in_higher_derivatives() {
    // The results are values of the backward pass of the product, and residuals of another.
    let product = |x: Tensor, own: fn(Tensor) -> Tensor| own(x) * own(x * 2) * x;
    let nested = |x: Tensor, own: fn(Tensor) -> Tensor| {
        custom_vjp(x, |x| (own(x).sin(), (x, own(x))), |(x, y), g| g * y.cos() * x.sigmoid())
    };
    // Twice differentiable, and of the same values.
    let smooth: fn(Tensor) -> Tensor = |x| (x.exp() + 1).log();
    let of = |own: fn(Tensor) -> Tensor| {
        run(cpu(), &[Spec::f64([3])], |xs| {
            // Also 0, where the ops of the function have another slope.
            let x = concatenate(&[xs[0], xs[0].zeros_like()], 0);
            let first = |x: Tensor| grad(x, |x| (product(x, own) + nested(x, own)).sum(..));
            let second = |x: Tensor| grad(x, |x| first(x).sin().sum(..));
            let third = grad(x, |x| second(x).sin().sum(..));
            let mapped = vmap(x, 0, |x| grad(x, |x| first(x).sin()));
            vec![first(x), second(x), third, mapped]
        })
    };
    assert_near("nested", &of(soft), &of(smooth));
}

#[test]
fn it_is_mapped_with_its_function() {
    let specs = [Spec::f64([4, 3]), Spec::f64([3])];
    let of = |step: Step| {
        run(cpu(), &specs, |xs| {
            let (x, w) = (xs[0], xs[1]);
            let each = vmap(x, 0, |x| grad((x, w), |(x, w)| step(x, w).cos().sum(..)));
            let (of_x, of_w) = grad((x, w), |(x, w)| vmap(x, 0, |x| step(x, w)).cos().sum(..));
            let (of_v, of_x0) = grad((w, x), |(w, x)| vmap(x, 0, |x| step(w, x)).cos().sum(..));
            vec![each.0, each.1, of_x, of_w, of_v, of_x0]
        })
    };
    assert_near("mapped", &of(own), &of(like));
}

#[test]
fn it_holds_in_loops_branches_and_checkpoints() {
    let specs = [Spec::f64([3]), Spec::f64([3]), Spec::f64([5, 3])];
    let of = |step: Step| {
        run(cpu(), &specs, |xs| {
            grad(xs, |xs| {
                let (x, w) = (xs[0], xs[1]);
                let (end, rows) = scan(x, xs[2], 0, |c, row| {
                    let next = step(c * 0.5, row).tanh();
                    (next, step(next, w))
                });
                let both = cond(w.sum(..).gt(0), || step(end, w), || step(w, end));
                let policy = CheckpointPolicy::DotsSaveable;
                let again = checkpoint(both, policy, |x| step(x.sin(), w));
                again.sum(..) + rows.sin().sum(..)
            })
        })
    };
    assert_near("loops", &of(own), &of(like));
}

/// The sine, computed by the host.
fn host(name: &str, x: Tensor, function: fn(f64) -> f64) -> Tensor {
    let spec = Spec::of(x.shape());
    CallbackBuilder::new(name, x, spec).pure().run(move |_, x, mut y| {
        let (x, y) = (x.as_slice::<f64>()?, y.as_slice_mut::<f64>()?);
        y.iter_mut().zip(x).for_each(|(y, x)| *y = function(*x));
        Ok(())
    })
}

#[test]
fn a_callback_has_a_derivative_by_it() {
    let sine = |x: Tensor| {
        let backward = |x: Tensor, g: Tensor| g * host("cosine", x, f64::cos);
        custom_vjp(x, |x| (host("sine", x, f64::sin), x), backward)
    };
    let found = run(cpu(), &[Spec::f64([3])], |xs| grad(xs, |xs| sine(xs[0] * 2).exp().sum(..)));
    let expected =
        run(cpu(), &[Spec::f64([3])], |xs| grad(xs, |xs| (xs[0] * 2).sin().exp().sum(..)));
    assert_near("callback", &found, &expected);
}

#[test]
fn a_callback_without_it_is_an_error() {
    let function = |x: Tensor| grad(x, |x| host("sine", x, f64::sin).sum(..));
    let error = cpu().compile(function, (Spec::f64([3]),)).expect_err("there is no derivative");
    assert!(error.to_string().contains("use `custom_vjp`"), "{error}");
}
