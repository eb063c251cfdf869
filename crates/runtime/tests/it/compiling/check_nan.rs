//! The mode that stops at the first NaN or infinity.

use crate::CPU;
use hloom_graph::{DType, Spec, Tensor, cond, for_loop, scan, value_and_grad};
use hloom_runtime::{Buffer, CallbackFailure, Error, Exe, Kernels};
use hloom_test_support::{Child, is_child};

fn failure<T>(outcome: Result<T, Error>) -> CallbackFailure {
    match outcome {
        Err(Error::Callback(failure)) => *failure,
        Err(error) => panic!("not a check: {error}"),
        Ok(_) => panic!("the call did not fail"),
    }
}

fn compile(function: impl Fn(Tensor) -> Tensor) -> Exe<(Spec,), Tensor> {
    let compiler = CPU.compiler().name("program").kernels(Kernels::off()).check_nan(true);
    compiler.compile(|x: Tensor| function(x), (Spec::f32([("n", 4)]),)).unwrap()
}

/// The line and the message of the check that a call fails at.
fn stops(exe: &Exe<(Spec,), Tensor>, values: [f32; 4]) -> (u32, String) {
    let x = Buffer::from_slice(&CPU, &values, [("n", 4)]).unwrap();
    let failure = failure(exe.call((&x,)).and_then(|y| y.to_vec::<f32>()));
    assert_eq!((&*failure.callback, &*failure.executable), ("check_nan", "program"));
    assert_eq!(failure.location.file(), file!());
    (failure.location.line(), failure.message)
}

fn passes(exe: &Exe<(Spec,), Tensor>, values: [f32; 4]) -> Vec<f32> {
    let x = Buffer::from_slice(&CPU, &values, [("n", 4)]).unwrap();
    exe.call((&x,)).and_then(|y| y.to_vec()).unwrap()
}

#[test]
fn the_first_op_that_computes_a_nan_or_an_infinity_is_named_with_its_line() {
    let line = line!() + 2;
    let exe = compile(|x| {
        let root = x.sqrt();
        let scaled = 1.0 / root;
        scaled * 0.0 + x.exp()
    });
    let (at, message) = stops(&exe, [1., 4., -1., -9.]);
    assert_eq!(at, line);
    let expected = "`sqrt` has 2 NaN among the 4 elements of its result f32[n=4], the first at [2]; \
        its operands have no NaN";
    assert_eq!(message, expected);
    let (at, message) = stops(&exe, [1., 4., 0., 9.]);
    assert_eq!(at, line + 1);
    let expected = "`div` has 1 infinite among the 4 elements of its result f32[n=4], the first \
        at [2]";
    assert!(message.starts_with(expected), "{message}");
    let (at, message) = stops(&exe, [1., 100., 1., 9.]);
    assert_eq!(at, line + 2);
    assert!(message.starts_with("`exp` has 1 infinite"), "{message}");
    assert_eq!(passes(&exe, [1., 1., 0.25, 1.])[0], 1f32.exp());
}

#[test]
fn a_nan_of_an_argument_and_an_infinity_on_purpose() {
    let line = line!() + 2;
    let exe = compile(|x| {
        let shifted = x + 1.0;
        // A mask of the user's, which the sum and the softmax pass on.
        let mask = x.gt(0.0).select(Tensor::full_like(x, 0.0), f32::NEG_INFINITY);
        (shifted + mask).softmax("n")
    });
    let (at, message) = stops(&exe, [1., f32::NAN, 2., 3.]);
    assert_eq!(at, line);
    assert!(message.ends_with("an operand has NaN: it may be the argument `arg0`"), "{message}");
    let y = passes(&exe, [1., -1., 1., -3.]);
    assert!((y[0] - 0.5).abs() < 1e-6 && y[1] == 0.0, "{y:?}");
    // Everything is masked.
    let (_, message) = stops(&exe, [-1., -1., -1., -3.]);
    assert!(message.contains(" NaN among "), "{message}");
}

#[test]
fn loops_branches_and_derivatives_are_checked() {
    let line = line!() + 1;
    let exe = compile(|x| for_loop(3, x, |_, x| x.log()));
    assert_eq!(stops(&exe, [1e9, 1e9, 2., 1e9]).0, line);
    let line = line!() + 1;
    let exe = compile(|x| scan(x.sum("n"), x, "n", |sum, x| (sum + x.sqrt(), x)).0);
    assert_eq!(stops(&exe, [1., 4., 9., -1.]).0, line);
    let line = line!() + 3;
    let exe = compile(|x| {
        let is_positive = x.sum("n").gt(0.0);
        cond(is_positive, || x.log(), || x * 2.0)
    });
    assert_eq!(stops(&exe, [9., -1., 1., 1.]).0, line);
    assert_eq!(passes(&exe, [-9., 0., 1., 1.]), [-18., 0., 2., 2.]);
    // The derivative of a root at 0 is infinite.
    let exe = compile(|x| value_and_grad(x, |x| x.sqrt().sum("n")).1);
    let (_, message) = stops(&exe, [1., 0., 1., 1.]);
    assert!(message.contains("infinite among the 4 elements"), "{message}");
}

#[test]
fn narrow_and_complex_elements_are_checked() {
    let exe = compile(|x| (x.convert(DType::F16) * 1000.0).convert(DType::F32));
    assert!(stops(&exe, [1., 99., 1., 1.]).1.starts_with("`mul` has 1 infinite"));
    let exe = compile(|x| (x.convert(DType::C64) / x.convert(DType::C64)).real());
    assert!(stops(&exe, [1., 0., 1., 1.]).1.contains("result c64[n=4], the first at [1]"));
}

#[test]
fn the_variable_checks_every_program() {
    const NAME: &str = "compiling::check_nan::the_variable_checks_every_program";
    if !is_child() {
        Child::test(NAME).env("HLOOM_CHECK_NAN", "1").run().passed();
        Child::test(NAME).env("HLOOM_CHECK_NAN", "0").run().passed();
        return;
    }
    let exe = CPU.compile(|x: Tensor| x.log(), (Spec::f32([1]),)).unwrap();
    let x = Buffer::from_slice(&CPU, &[-1f32], [1]).unwrap();
    let outcome = exe.call((&x,)).and_then(|y| y.to_vec::<f32>());
    match std::env::var("HLOOM_CHECK_NAN").as_deref() {
        Ok("1") => assert!(failure(outcome).message.starts_with("`log` has 1 NaN")),
        _ => assert!(outcome.unwrap()[0].is_nan()),
    }
}
