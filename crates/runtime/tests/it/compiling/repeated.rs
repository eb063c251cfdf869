//! Warnings about programs that are compiled again and again.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::Buffer;
use hloom_test_support::CPU;
use std::sync::{Arc, Mutex};
use tracing::{Event, Level, Metadata, Subscriber, field, span};

/// The warnings about compilations while `work` runs on this thread.
fn warnings(work: impl FnOnce()) -> Vec<String> {
    let messages = Arc::new(Mutex::new(Vec::new()));
    tracing::subscriber::with_default(Warnings(messages.clone()), work);
    let messages = messages.lock().unwrap();
    messages.clone()
}

struct Warnings(Arc<Mutex<Vec<String>>>);

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::WARN && metadata.target().ends_with("::repeated")
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = String::new();
        let mut add = |field: &field::Field, value: &dyn std::fmt::Debug| {
            text.push_str(&format!("{field}={value:?} "));
        };
        event.record(&mut add);
        self.0.lock().unwrap().push(text);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

fn zeros(size: usize) -> Buffer {
    Buffer::zeros(&*CPU, Spec::f32([size])).unwrap()
}

#[test]
fn compiling_in_a_loop_is_warned_about_once() {
    let compile = |step: usize| {
        // The number of the step is a constant, so that each program is another one.
        let line = line!() + 1;
        drop(CPU.compile(move |x: Tensor| x * step as f64, (Spec::f32([3]),)).unwrap());
        line
    };
    assert_eq!(
        warnings(|| (0..4).for_each(|step| {
            compile(step);
        })),
        [""; 0]
    );
    let mut line = 0;
    let found = warnings(|| (4..9).for_each(|step| line = compile(step)));
    assert_eq!(found.len(), 1, "{found:?}");
    let place = format!("repeated.rs:{line}");
    assert!(found[0].contains("compiled 5 times") && found[0].contains(&place), "{found:?}");
}

#[test]
fn compiling_for_several_arguments_is_not_warned_about() {
    let found = warnings(|| {
        for size in 1..9 {
            drop(CPU.compile(|x: Tensor| x.exp(), (Spec::f32([size]),)).unwrap());
        }
        for _ in 0..4 {
            drop(CPU.compile(|x: Tensor| x.exp(), (Spec::f32([9]),)).unwrap());
        }
    });
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_jitted_function_that_never_hits_is_warned_about_once() {
    let jit = CPU.jit(|x: Tensor| x.sin());
    let call = |size: usize| drop(jit.call((&zeros(size),)).unwrap());
    assert_eq!(warnings(|| (1..5).for_each(call)), [""; 0]);
    let found = warnings(|| (5..9).for_each(call));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("each of 5 calls"), "{found:?}");
}

#[test]
fn a_jitted_function_that_hits_is_not_warned_about() {
    let jit = CPU.jit(|x: Tensor| x.cos());
    let call = |size: usize| drop(jit.call((&zeros(size),)).unwrap());
    call(1);
    assert_eq!(warnings(|| (1..9).for_each(call)), [""; 0]);
}

#[test]
fn a_function_that_is_jitted_in_a_loop_is_warned_about_once() {
    let found = warnings(|| {
        for _ in 0..7 {
            let jit = CPU.jit(|x: Tensor| x.tan());
            drop(jit.call((&zeros(2),)).unwrap());
        }
    });
    assert_eq!(found.len(), 1, "{found:?}");
}
