//! Error messages of optimizers for trees that do not fit.

use hloom_graph::{DType, Spec, Tensor};
use hloom_optim::{
    AdamState, AdamW, MultiSteps, Optimizer, Sgd, SgdState, accumulate, global_norm,
};
use hloom_runtime::{Args, Function, ResultTree};
use hloom_test_support::CPU_BY_TEST as CPU;
use insta::assert_snapshot;

/// The error of a program, without its place in this file.
fn refusal<A, F, Passing>(program: F, arguments: A) -> String
where
    A: Args,
    F: Function<A, Passing, Output: ResultTree>,
{
    let error = CPU.compile(program, arguments).map(drop).expect_err("it does not fit");
    let error = error.to_string();
    assert!(error.contains("crates/optim/tests/it/messages.rs:"), "the caller's line: {error}");
    let lines = error.lines().filter(|line| !line.starts_with("  at "));
    let lines = lines.map(|line| match line.split_once(", at ") {
        Some((line, _)) => format!("{line}, at ..)"),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn weight() -> Spec {
    Spec::f32([("out", 2), ("in", 3)])
}

fn step(params: Vec<Tensor>, gradients: Vec<Tensor>) -> Vec<Tensor> {
    let sgd = Sgd::new();
    let state = sgd.init(&params);
    sgd.update(params, gradients, state, 0.1).0
}

#[test]
fn gradients_of_other_leaves_or_shapes() {
    assert_snapshot!(refusal(step, (vec![weight(); 2], vec![weight()])),
        @"optim::Sgd: the gradients have no leaf `1`, which the parameters have");
    assert_snapshot!(refusal(step, (vec![weight()], vec![weight(); 2])),
        @"optim::Sgd: the gradients have a leaf `1`, which the parameters do not have");
    let transposed = Spec::f32([("in", 3), ("out", 2)]);
    assert_snapshot!(refusal(step, (vec![weight()], vec![transposed])), @r"
    optim::Sgd: the gradient of `0` is f32[in=3, out=2], the parameter f32[out=2, in=3]
      left:  f32[out=2, in=3]   (0)
      right: f32[in=3, out=2]   (arg1.0)
    ");
    let integers = Spec::i32([("out", 2), ("in", 3)]);
    assert_snapshot!(refusal(step, (vec![weight()], vec![integers])), @r"
    optim::Sgd: the gradient of `0` is i32[out=2, in=3], the parameter f32[out=2, in=3]
      left:  f32[out=2, in=3]   (0)
      right: i32[out=2, in=3]   (arg1.0)
    ");
}

#[test]
fn complex_parameters() {
    let complex = || vec![Spec::new(DType::C64, [("out", 2)])];
    assert_snapshot!(refusal(step, (complex(), complex())), @r"
    optim::Sgd: complex parameters cannot be trained
      operand: c64[out=2]   (0)
    ");
    assert_snapshot!(refusal(|g: Vec<Tensor>| global_norm(&g), (complex(),)), @r"
    optim::global_norm: complex parameters cannot be trained
      operand: c64[out=2]   (0)
    ");
}

#[test]
fn states_of_other_options_or_parameters() {
    let momentum = |params: Tensor, state: SgdState<Tensor>| {
        Sgd::new().momentum(0.9).update(params, params, state, 0.1)
    };
    let state = Sgd::new().state_spec(&weight());
    assert_snapshot!(refusal(momentum, (weight(), state)),
        @"optim::Sgd: the state has no momentum: it was made by an optimizer without one");
    let adamw =
        |params: Tensor, state: AdamState<Tensor>| AdamW::new().update(params, params, state, 0.1);
    let state = AdamW::new().state_spec(&Spec::f32([("in", 3)]));
    assert_snapshot!(refusal(adamw, (weight(), state)), @r"
    optim::AdamW: a state is f32[in=3], not f32[out=2, in=3]: was it made for other parameters?
      left:  f32[in=3]   (arg1.mean)
      right: f32[out=2, in=3]
      note: 1 more error followed
    ");
    let multi = |params: Vec<Tensor>, gradients: Vec<Tensor>| {
        let optimizer = MultiSteps::new(Sgd::new(), 2);
        let state = optimizer.init(&params);
        optimizer.update(params, gradients, state, 0.1)
    };
    assert_snapshot!(refusal(multi, (vec![weight(); 2], vec![weight()])),
        @"optim::MultiSteps: the gradients have no leaf `1`, which the parameters have");
}

#[test]
fn learning_rates_with_axes() {
    let step = |params: Tensor, rate: Tensor| {
        let sgd = Sgd::new();
        let state = sgd.init(&params);
        sgd.update(params, params, state, rate).0
    };
    assert_snapshot!(refusal(step, (weight(), Spec::f32([("in", 3)]))), @r"
    optim::Sgd: a learning rate is a scalar, not f32[in=3] (in learning_rate)
      operand: f32[in=3]   (arg1)
    ");
}

#[test]
fn batches_that_cannot_be_split() {
    let seven = |x: Tensor| accumulate(x, "batch", 7, |x| x.mean("batch"));
    assert_snapshot!(refusal(seven, (Spec::f32([("batch", 12)]),)), @r"
    optim::accumulate: axis `batch` of size 12 cannot be split into 7 parts
      operand: f32[batch=12]   (arg0)
      note: 1 more error followed
    ");
    let missing = |x: Tensor| accumulate(x, "time", 2, |x| x.mean("batch"));
    assert_snapshot!(refusal(missing, (Spec::f32([("batch", 12)]),)), @r"
    optim::accumulate: there is no axis `time` in f32[batch=12] (in size)
      operand: f32[batch=12]   (arg0)
      note: 2 more errors followed
    ");
    let counted = |x: Tensor| accumulate(x, "batch", 2, |x| x.argmax("batch"));
    assert_snapshot!(refusal(counted, (Spec::f32([("batch", 12)]),)),
        @"optim::accumulate: a result is i32[]: only floats can be averaged");
}
