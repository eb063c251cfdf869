//! Errors of lazy tensors.

use crate::vector;
use hloom_graph::{DType, Spec, Tensor, custom_call};
use hloom_lazy::{Lazy, LazyState, call, concatenate, forget, realize_all};
use hloom_runtime::{Buffer, Error};
use hloom_test_support::{CPU, cpus};

fn message(lazy: &Lazy) -> String {
    lazy.realize().map(drop).unwrap_err().to_string()
}

#[test]
fn an_error_has_the_line_of_the_op() {
    let line = line!() + 1;
    let wrong = vector(&[1.0, 2.0]) + vector(&[1.0, 2.0, 3.0]);
    let place = format!("errors.rs:{line}:");
    let later = (&wrong * 2).sum(0);
    assert!(wrong.is_poisoned() && later.is_poisoned());
    assert_eq!(later.state(), LazyState::Failed);
    assert_eq!(later.shape().to_string(), "f32[]");
    let text = message(&later);
    assert!(text.contains(&place), "{text}");
    assert!(text.contains("left:  f32[n=2]\n") && text.contains("right: f32[n=3]\n"), "{text}");
    assert!(!text.contains("lazy tensor"), "{text}");
    assert_eq!(later.to_string(), text);
    let line = line!() + 1;
    let wrong = vector(&[1.0]).reshape([7]);
    assert!(message(&wrong).contains(&format!("errors.rs:{line}:")), "{wrong}");
    let line = line!() + 1;
    let pieces = vector(&[1.0]).slice("m", 0..).split(0, 1);
    assert!(message(&pieces[0]).contains(&format!("errors.rs:{line}:")), "{pieces:?}");
    let wrong = concatenate(&[&vector(&[1.0]), &wrong], 0);
    assert!(message(&wrong).starts_with("reshape: "), "{wrong}");
    let of_closure = call(
        |x: Tensor| {
            let y = x + 1;
            y.sum("nowhere")
        },
        vector(&[1.0]),
    );
    assert!(message(&of_closure).contains("there is no axis `nowhere`"), "{of_closure}");
}

#[test]
fn platforms_are_not_mixed() {
    // Its name differs from that of the platform of the other tests.
    let other = cpus(2);
    let far = Lazy::from_slice(&other, &[1.0f32], [("n", 1)]).unwrap();
    let near = vector(&[1.0]);
    let named = [CPU.to_string(), other.to_string()];
    assert_ne!(named[0], named[1]);
    for mixed in [
        &near + &far,
        near.matmul(&far),
        concatenate(&[&near, &far], 0),
        near.at(0, 0).set(&far),
        call(|x: Tensor| x + &far, near.clone()),
    ] {
        let text = message(&mixed);
        assert!(text.contains("two platforms"), "{text}");
        assert!(named.iter().all(|name| text.contains(name)), "{text}");
        assert!(text.contains("errors.rs"), "{text}");
    }
    let error = realize_all([&near, &far]).unwrap_err().to_string();
    assert!(named.iter().all(|name| error.contains(name)), "{error}");
    forget(&other);
}

#[test]
fn a_function_without_lazy_tensors_has_no_platform() {
    let nowhere = call(|_: Vec<Tensor>| Tensor::zeros(DType::F32, [1]), Vec::<Lazy>::new());
    assert!(message(&nowhere).contains("there is no platform"), "{nowhere}");
    assert!(nowhere.platform().is_none() && vector(&[1.0]).platform().is_some());
    assert!((&nowhere + 1).is_poisoned() && (vector(&[1.0]) + &nowhere).is_poisoned());
}

#[test]
fn a_compiled_function_does_not_take_a_lazy_tensor_by_capture() {
    let x = vector(&[1.0]);
    let compiled = CPU.compile(|y: Tensor| y + &x, (Spec::f32([("n", 1)]),));
    let text = compiled.unwrap_err().to_string();
    assert!(text.contains("pass it as an argument"), "{text}");
}

/// A program that cannot be executed is an error, which its tensor keeps; the operands stay usable.
#[test]
fn a_program_that_does_not_compile_is_an_error() {
    let x = vector(&[1.0]);
    let wrong =
        call(|x: Tensor| custom_call("acme.unknown", x, Spec::of(x.shape())).call(), x.clone());
    let outcome = wrong.realize().and_then(|buffer| buffer.to_vec::<f32>());
    let text = outcome.unwrap_err().to_string();
    assert!(text.contains("acme.unknown"), "{text}");
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0]);
}

/// A tensor with a handle that was also a result of a failed program is computed by another
/// program.
#[test]
fn a_failed_program_fails_its_target_alone() {
    let x = vector(&[1.0]);
    let broken = |x: &Lazy| {
        let unknown = |x: Tensor| custom_call("acme.unknown", x, Spec::of(x.shape())).call();
        call(unknown, x.clone())
    };
    let held = &x + 1;
    let wrong = broken(&(&held * 2)) + &held;
    assert!(message(&wrong).contains("acme.unknown"));
    assert_eq!(wrong.state(), LazyState::Failed);
    assert_eq!(held.state(), LazyState::Pending);
    assert_eq!(held.to_vec::<f32>().unwrap(), [2.0]);

    // Only the targets that cannot be computed fail.
    let (held, right) = (&x + 2, &x * 3);
    let temporary = (&held * 2) * &right;
    let wrong = broken(&temporary);
    let later = &right + temporary;
    let error = realize_all([&later, &wrong, &right]).unwrap_err().to_string();
    assert!(error.contains("acme.unknown"), "{error}");
    let states = [&later, &wrong, &right].map(Lazy::state);
    assert_eq!(states, [LazyState::Realized, LazyState::Failed, LazyState::Realized]);
    assert_eq!(later.to_vec::<f32>().unwrap(), [21.0]);
    assert_eq!(held.to_vec::<f32>().unwrap(), [3.0]);
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0]);

    // A memory that the failed program was to reuse is still there.
    let own = vector(&[5.0]);
    let next = own + 1;
    let wrong = broken(&next);
    assert!(wrong.realize().is_err());
    assert_eq!(next.to_vec::<f32>().unwrap(), [6.0]);
}

#[test]
fn another_element_type_is_an_error_of_reading() {
    let x = vector(&[1.0, 2.0]) + 1;
    assert!(matches!(x.to_vec::<i32>(), Err(Error::ElementType { .. })));
    assert!(matches!(x.item::<f32>(), Err(Error::HostData { .. })));
    let _: std::sync::Arc<Buffer> = x.realize().unwrap();
}
