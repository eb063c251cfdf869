//! Handlers compiled elsewhere, and targets that are not registered.

use super::compile;
use crate::CPU;
use hloom_graph::{Effect, Spec, Tensor, custom_call, custom_vjp, grad};
use hloom_pjrt::ErrorCode;
use hloom_runtime::{Buffer, Error};
use hloom_test_support::register_foreign_handler;

#[test]
fn a_handler_written_in_c_is_called() {
    let plugin = CPU.client().plugin();
    register_foreign_handler(&plugin);
    // The same again changes nothing.
    register_foreign_handler(&plugin);

    let scaled = |factor: f32| {
        move |x: Tensor| {
            custom_call("test.c_scale", x, Spec::of(x.shape())).attribute("factor", factor).call()
        }
    };
    let x = Buffer::from_slice(&CPU, &[1f32, -2.0, 0.5, 4.0], [("row", 2), ("column", 2)]).unwrap();
    let spec = || Spec::of(x.shape());
    let y = compile(scaled(2.5), (spec(),)).call((&x,)).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [2.5, -5.0, 1.25, 10.0]);
    assert_eq!(y.shape(), x.shape());

    let error = compile(scaled(-1.0), (spec(),))
        .call((&x,))
        .and_then(|y| y.ready())
        .expect_err("it refuses");
    let Error::Plugin { source, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(source.code(), ErrorCode::InvalidArgument);
    assert!(source.to_string().contains("the factor is negative"), "{source}");

    // In the memory of the input.
    let in_place = |x: Tensor| {
        let x = x + 1;
        custom_call("test.c_scale", x, Spec::of(x.shape()))
            .attribute("factor", 2f32)
            .alias(0, 0)
            .effect(Effect::Unordered)
            .call()
    };
    let y = compile(in_place, (spec(),)).call((&x,)).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [4.0, -2.0, 3.0, 10.0]);
}

#[test]
fn a_handler_has_a_derivative_by_custom_vjp() {
    register_foreign_handler(&CPU.client().plugin());
    fn scaled(x: Tensor, factor: f32) -> Tensor {
        custom_call("test.c_scale", x, Spec::of(x.shape())).attribute("factor", factor).call()
    }
    // The square of three times x; the derivative calls the handler too.
    let triple = |x: Tensor| custom_vjp(x, |x| (scaled(x, 3.0), x), |_, g| scaled(g, 3.0));
    let slope = |x: Tensor| grad(x, |x| (triple(x) * triple(x)).sum(..));
    let x = Buffer::from_slice(&CPU, &[1f32, -2.0, 0.5], [3]).unwrap();
    let found = compile(slope, (Spec::of(x.shape()),)).call((&x,)).unwrap();
    assert_eq!(found.to_vec::<f32>().unwrap(), [18.0, -36.0, 9.0]);
}

#[test]
fn a_target_that_nobody_registered_is_an_error_of_compile() {
    let lost = |x: Tensor| custom_call("test.nobody", x, Spec::of(x.shape())).call();
    let error = CPU
        .compile(lost, (Spec::f32([1]),))
        .map(drop)
        .expect_err("nobody registered it")
        .to_string();
    assert!(error.contains("does not compile") && error.contains("test.nobody"), "{error}");
}
