//! The graphs that derivatives record, and the functions that they refuse.

use crate::{
    printed::{error, text},
    traced::traced,
};
use hloom_graph::*;

fn x() -> Spec {
    Spec::f32([("row", 3), ("column", 4)])
}

#[test]
fn a_gradient_has_the_axes_of_its_parameter() {
    let specs = [x(), Spec::f32([("column", 4), ("out", 2)])];
    let graph = text(specs, |[x, w]| grad(w, |w| x.dot(w, "column").sum(..)));
    assert!(graph.trim_end().contains("f32[column=4, out=2]"), "{graph}");
}

#[test]
fn constants_have_no_backward_pass() {
    let graph = text([x(), x()], |[x, y]| grad(x, |x| (x * y.exp()).sum(..)));
    assert_eq!(graph.matches("exp").count(), 1, "{graph}");
}

#[test]
fn a_captured_tensor_is_a_constant_even_if_it_is_the_argument() {
    // d (x * c) / dx with c the same tensor: c alone, nothing is doubled.
    let graph = text([x()], |[x]| grad(x, |y| (y * x).sum(..)));
    assert!(!graph.contains("add"), "{graph}");
}

#[test]
fn integers_are_constants() {
    let graph = text([x(), Spec::i32([("row", 3)])], |[x, i]| {
        let (gradient, of_i) =
            grad((x, i), |(x, i)| (x * i.convert(DType::F32).insert_axis(1, "column")).sum(..));
        assert_eq!(of_i.shape().to_string(), "i32[row=3]");
        gradient
    });
    assert!(graph.contains("f32[row=3, column=4]"), "{graph}");
}

#[test]
fn a_loss_is_one_float() {
    assert_eq!(
        error([x()], |[x]| grad(x, |x| x.exp())),
        "grad: the loss is f32[row=3, column=4], not one float; use `vjp`"
    );
    let found = error([x()], |[x]| value_and_grad(x, |x| x.convert(DType::I32).sum(..)).0);
    assert_eq!(found, "value_and_grad: the loss is i32[], not one float; use `vjp`");
}

#[test]
fn a_cotangent_has_the_shape_of_its_result() {
    let found = error([x(), x()], |[x, g]| vjp(x, |x| x.sum("row")).1.apply(g));
    assert_eq!(
        found,
        "vjp: a cotangent of f32[column=4] has its type and sizes, not f32[row=3, column=4]"
    );
}

#[test]
fn a_pullback_takes_one_cotangent_for_each_result() {
    for (count, found) in [(1, "1 cotangents for 2 results"), (3, "3 cotangents for 2 results")] {
        let error = error([x()], |[x]| {
            let (_, pullback) = vjp(x, |x| vec![x.sin(), x.cos()]);
            pullback.apply(vec![x; count])
        });
        assert_eq!(error, format!("vjp: {found}"));
    }
}

#[test]
fn a_forward_derivative_takes_one_tangent_for_each_input() {
    for count in [1, 3] {
        let error =
            error([x()], |[x]| jvp(vec![x, x], vec![x; count], |xs: Vec<Tensor>| xs[0] * xs[1]).1);
        assert_eq!(error, format!("jvp: {count} tangents for 2 inputs"));
    }
}

#[test]
fn an_op_without_a_rule_is_an_error_at_its_line() {
    let specs = [Spec::f32([("row", 3)])];
    let line = line!() + 3;
    let error = traced(TraceScope::begin("test"), specs, |[x]| {
        grad(x, |x| {
            let y = while_loop(x, |x| x.sum(..).lt(100), |x| x * 2);
            y.sum(..)
        })
    });
    let error = error.expect_err("a loop of unknown length");
    assert!(error.message.starts_with("`while` has no derivative"), "{error}");
    assert!(error.message.contains("use `for_loop` or `scan`"), "{error}");
    assert_eq!((error.location.file(), error.location.line()), (file!(), line));
}

#[test]
fn ops_before_one_without_a_rule_do_not_panic() {
    let error = traced(TraceScope::begin("test"), [Spec::f32([("row", 3)])], |[x]| {
        grad(x, |x| {
            let part = x.slice("row", 0..2).pad("row", 1, 0, 0).transpose(["row"]);
            while_loop(part, |x| x.sum(..).lt(100), |x| x * 2).sum(..)
        })
    });
    let error = error.expect_err("a loop of unknown length");
    assert!(error.message.starts_with("`while` has no derivative"), "{error}");
}

#[test]
fn an_op_without_a_rule_beside_the_loss_is_no_error() {
    let graph = text([x()], |[x]| {
        let loss = |x: Tensor| {
            let steps = while_loop(x, |x| x.sum(..).lt(100), |x| x * 2);
            ((x * x).sum(..), steps)
        };
        let ((_, steps), gradient) = value_and_grad_aux(x, loss);
        gradient + steps
    });
    assert!(graph.contains("while"), "{graph}");
}

#[test]
fn a_stopped_gradient_is_zero() {
    let graph = text([x()], |[x]| grad(x, |x| x.exp().stop_gradient().sum(..)));
    assert!(graph.contains("splat 0"), "{graph}");
}

#[test]
fn a_checkpoint_is_one_function_that_the_backward_pass_computes_again() {
    let layer = |x: Tensor| x.exp().sin();
    let policy = CheckpointPolicy::NothingSaveable;
    let graph = text([x()], |[x]| checkpoint(x, policy.clone(), layer).sum(..));
    assert_eq!(graph.matches("exp").count(), 1, "{graph}");
    assert!(!graph.contains("optimization_barrier"), "{graph}");
    let graph = text([x()], |[x]| grad(x, |x| (checkpoint(x, policy, layer).cos()).sum(..)));
    assert_eq!(graph.matches("exp").count(), 2, "{graph}");
    assert_eq!(graph.matches("optimization_barrier").count(), 1, "{graph}");
}

#[test]
fn a_policy_keeps_what_it_saves() {
    let gradient = |policy: CheckpointPolicy| {
        text([Spec::f32([4, 4])], |[x]| {
            let layer = |x: Tensor| checkpoint_name(x.matmul(x), "product").exp().sin();
            grad(x, |x| checkpoint(x, policy, layer).cos().sum(..))
        })
    };
    // One product forward, two backward, and one again where it is not saved.
    let dots = |graph: &str| graph.matches("= dot").count().max(graph.matches(" dot").count());
    let nothing = gradient(CheckpointPolicy::NothingSaveable);
    assert_eq!(dots(&nothing), 4, "{nothing}");
    for policy in [
        CheckpointPolicy::DotsSaveable,
        CheckpointPolicy::DotsWithNoBatchDimsSaveable,
        CheckpointPolicy::save_only_these_names(["product"]),
    ] {
        let graph = gradient(policy);
        assert_eq!(dots(&graph), 3, "{graph}");
    }
    let other = gradient(CheckpointPolicy::save_only_these_names(["other"]));
    assert_eq!(dots(&other), 4, "{other}");
}

#[test]
fn products_with_batch_axes_are_saved_by_one_policy_of_dots() {
    let dots = |policy: CheckpointPolicy| {
        let graph = text([Spec::f32([("batch", 3), ("row", 4), ("in", 4)])], |[x]| {
            let layer = |x: Tensor| {
                let product = x.dot(x.rename("row", "other"), "in");
                product.exp().sin()
            };
            grad(x, |x| checkpoint(x, policy, layer).cos().sum(..))
        });
        graph.matches("= dot").count().max(graph.matches(" dot").count())
    };
    // One product forward, two backward, and one again where it is not saved.
    assert_eq!(dots(CheckpointPolicy::DotsSaveable), 3);
    assert_eq!(dots(CheckpointPolicy::DotsWithNoBatchDimsSaveable), 4);
    assert_eq!(dots(CheckpointPolicy::NothingSaveable), 4);
}

#[test]
fn a_checkpoint_has_no_effects() {
    let found = error([x()], |[x]| {
        checkpoint(x, CheckpointPolicy::default(), |x| {
            custom_call("print", x, Spec::of(x.shape())).effect(Effect::Ordered).call()
        })
    });
    assert_eq!(found, "checkpoint: the function has an effect, which derivatives would repeat");
}

#[test]
fn a_custom_backward_pass_returns_the_shapes_of_the_inputs() {
    let found = error([x()], |[x]| custom_vjp(x, |x| (x.exp(), x), |_, g| g.sum("row")));
    assert_eq!(
        found,
        "custom_vjp: the backward pass returns f32[column=4] for input 0, which is \
         f32[row=3, column=4]"
    );
    let found = error([x()], |[x]| custom_vjp(vec![x, x], |x| (x[0].exp(), x), |_, g| vec![g]));
    assert_eq!(found, "custom_vjp: the backward pass returns 1 tensors for 2 inputs");
}

#[test]
fn a_custom_function_of_an_outer_input_is_an_error() {
    let line = line!() + 2;
    let error = traced(TraceScope::begin("test"), [x(), x()], |[x, y]| {
        let loss = |(x, y): (Tensor, Tensor)| custom_vjp(x, |x| (x * y, x), |_, g| g).sum(..);
        grad((x, y), loss).0
    });
    let error = error.expect_err("`y` is an input");
    assert!(error.message.contains("pass it as an argument"), "{error}");
    assert_eq!((error.location.file(), error.location.line()), (file!(), line));
}

#[test]
fn a_custom_function_of_an_outer_constant_is_no_error() {
    let graph = text([x(), x()], |[x, y]| {
        grad(x, |x| custom_vjp(x, |x| (x * y, x), |_, g| g * y.exp()).sum(..))
    });
    assert!(graph.contains("exp"), "{graph}");
}

#[test]
fn without_a_derivative_the_backward_pass_is_dead() {
    let graph = text([x()], |[x]| custom_vjp(x, |x| (x.sin(), x), |x, g| g * x.cos()).sum(..));
    // The call is in the body of the function, but its results are unused.
    assert_eq!(graph.matches("composite").count(), 1, "{graph}");
}
