//! Callbacks with state.

use super::compile;
use crate::CPU;
use hloom_graph::{Spec, Tensor};
use hloom_runtime::{
    Buffer, Callback, CallbackBuilder, CallbackContext, CallbackError, Error, InputView, OutputView,
};
use std::sync::Arc;

/// Multiplies by its state.
struct Scale(f32);

impl Callback for Scale {
    type Inputs = Spec;
    type Outputs = Spec;

    fn call(
        &self,
        _: &CallbackContext<'_>,
        x: InputView<'_>,
        mut y: OutputView<'_>,
    ) -> Result<(), CallbackError> {
        for (y, x) in y.as_slice_mut::<f32>()?.iter_mut().zip(x.as_slice::<f32>()?) {
            *y = self.0 * x;
        }
        Ok(())
    }
}

/// Adds the second input and its state to the first.
struct Shift(f32);

impl Callback for Shift {
    type Inputs = (Spec, Spec);
    type Outputs = Vec<Spec>;

    fn call(
        &self,
        _: &CallbackContext<'_>,
        (a, b): (InputView<'_>, InputView<'_>),
        mut outputs: Vec<OutputView<'_>>,
    ) -> Result<(), CallbackError> {
        let sums = a.as_slice::<f32>()?.iter().zip(b.as_slice::<f32>()?);
        for (y, (a, b)) in outputs[0].as_slice_mut::<f32>()?.iter_mut().zip(sums) {
            *y = a + b + self.0;
        }
        Ok(())
    }
}

fn scaled(name: &str, x: Tensor) -> Tensor {
    CallbackBuilder::new(name, x, Spec::of(x.shape())).bound::<Scale>()
}

fn program(x: Tensor) -> Tensor {
    let a = scaled("first", x);
    let b = scaled("second", a);
    CallbackBuilder::new("shift", (a, b), vec![Spec::of(x.shape())]).bound::<Shift>()[0]
}

/// E13: the callbacks of an executable are bound to a state that it owns.
///
/// C4: a callback without its state is an error that names it.
#[test]
fn states_are_bound_and_replaced_between_calls() {
    let exe = compile(program, (Spec::f32([2]),));
    let x = Buffer::from_slice(&CPU, &[1f32, 2.0], [2]).unwrap();
    let call =
        |exe: &hloom_runtime::Exe<(Spec,), Tensor>| exe.call((&x,)).and_then(|y| y.to_vec::<f32>());

    let forgotten = call(&exe).expect_err("nothing is bound").to_string();
    assert!(
        forgotten.contains("callback `first` of") && forgotten.contains("bind.rs:"),
        "{forgotten}"
    );
    exe.bind_callback(Scale(2.0)).unwrap();
    let forgotten = call(&exe).expect_err("one is not bound");
    assert!(
        matches!(&forgotten, Error::Unbound { callback, .. } if callback == "shift"),
        "{forgotten}"
    );
    exe.bind_callback(Shift(0.5)).unwrap();
    assert_eq!(call(&exe).unwrap(), [6.5, 12.5]);

    // Bind those of a type, then one by name.
    exe.any().bind_callback_named("second", Scale(10.0)).unwrap();
    assert_eq!(call(&exe).unwrap(), [22.5, 44.5]);

    // A clone shares bindings, including later ones; a separate executable starts with a copy and
    // changes independently.
    let (clone, other) = (exe.clone(), exe.separate_callbacks());
    other.bind_callback(Shift(0.0)).unwrap();
    clone.bind_callback(Scale(1.0)).unwrap();
    assert_eq!(call(&exe).unwrap(), [2.5, 4.5]);
    assert_eq!(call(&clone).unwrap(), [2.5, 4.5]);
    assert_eq!(call(&other).unwrap(), [22.0, 44.0]);

    // Another executable of the same function has a state of its own.
    let again = compile(program, (Spec::f32([2]),));
    again.bind_callback(Scale(3.0)).unwrap();
    again.bind_callback(Shift(0.0)).unwrap();
    assert_eq!(call(&again).unwrap(), [12.0, 24.0]);
    assert_eq!(call(&exe).unwrap(), [2.5, 4.5]);
}

#[test]
fn a_state_lives_until_it_is_replaced_or_the_executable_is_gone() {
    let exe = compile(|x: Tensor| scaled("scale", x), (Spec::f32([1]),));
    let x = Buffer::from_slice(&CPU, &[1f32], [1]).unwrap();
    let (first, second) = (Arc::new(Scale(2.0)), Arc::new(Scale(3.0)));
    exe.any().bind_shared_callback(first.clone()).unwrap();
    assert_eq!(exe.call((&x,)).unwrap().item::<f32>().unwrap(), 2.0);
    exe.any().bind_shared_callback(second.clone()).unwrap();
    wait_until_alone(&first);
    let result = exe.call((&x,)).unwrap();
    drop(exe);
    assert_eq!(result.item::<f32>().unwrap(), 3.0);
    // The state is dropped with the executable, whoever holds its results.
    wait_until_alone(&second);
}

/// Waits until a state is not shared: a call releases it a moment after its results are ready.
fn wait_until_alone(state: &Arc<Scale>) {
    let begin = std::time::Instant::now();
    while Arc::strong_count(state) > 1 {
        assert!(begin.elapsed().as_secs() < 60, "the state is still held");
        std::thread::yield_now();
    }
}

#[test]
fn what_is_not_there_cannot_be_bound() {
    let exe = compile(|x: Tensor| scaled("scale", x), (Spec::f32([1]),));
    let error = exe.bind_callback(Shift(1.0)).expect_err("there is none").to_string();
    assert!(
        error.contains("Shift") && error.contains("`scale` of type") && error.contains("Scale"),
        "{error}"
    );
    let error = exe.any().bind_callback_named("other", Scale(1.0)).expect_err("there is none");
    assert!(error.to_string().contains("no callback `other`"), "{error}");
    let plain = compile(|x: Tensor| x + 1, (Spec::f32([1]),));
    let error = plain.bind_callback(Scale(1.0)).expect_err("there is none");
    assert!(error.to_string().contains("it has none"), "{error}");
    assert!(!exe.any().has_closures() && !plain.any().has_closures());
}

/// C3: compiling registers what the callbacks need with the plugin, once for all platforms,
/// executables and types of callbacks, also from several threads.
#[test]
fn nothing_is_registered_by_hand() {
    let platforms = [hloom_runtime::Platform::cpus(2).unwrap(), CPU.clone()];
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let platform = &platforms[thread % 2];
            scope.spawn(move || {
                let exe = platform.compile(program, (Spec::f32([2]),)).unwrap();
                exe.bind_callback(Scale(2.0)).unwrap();
                exe.bind_callback(Shift(thread as f32)).unwrap();
                let x = Buffer::from_slice(platform, &[1f32, 2.0], [2]).unwrap();
                let shift = thread as f32;
                let y = exe.call((&x,)).unwrap().to_vec::<f32>().unwrap();
                assert_eq!(y, [6.0 + shift, 12.0 + shift]);
            });
        }
    });
}
