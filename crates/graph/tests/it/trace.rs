//! Traces: the callers' locations, and which tensors belong to a trace.

use crate::traced::traced;
use hloom_graph::*;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};

#[test]
fn a_panic_inside_of_at_restores_the_callers_location() {
    let trace = TraceScope::begin("test");
    let x = trace.parameter("x", &Spec::f32([3]), false);
    let elsewhere = Location::caller();
    let result = catch_unwind(AssertUnwindSafe(|| {
        called_from(elsewhere, || panic!("the function above this crate failed"))
    }));
    assert!(result.is_err());
    let line = line!() + 1;
    let bad = x.sum(7);
    let error = trace.finish(vec![("".into(), bad)]).unwrap_err();
    assert_eq!(error.location.line(), line, "{error}");
}

#[test]
fn a_tensor_kept_after_its_trace_is_poisoned() {
    let outer = TraceScope::begin("outer");
    let open = outer.parameter("x", &Spec::f32([3]), false);
    let inner = TraceScope::begin("inner");
    let kept = inner.parameter("x", &Spec::f32([3]), false);
    assert!(!kept.is_poisoned() && !open.is_poisoned());
    assert_eq!(format!("{kept:?}"), "Tensor(%0 : f32[3])");
    drop(inner);
    assert!(kept.is_poisoned() && !open.is_poisoned());
    assert_eq!(kept.shape(), Shape::scalar(DType::F32));
    let ended = "Tensor(of a trace that has ended: it has no value any more)";
    assert_eq!(format!("{kept:?}"), ended);
    let failed = format!("{:?}", open.sum(7));
    assert!(failed.starts_with("Tensor(poisoned: an op before it failed"), "{failed}");
    drop(outer);
    assert!(open.is_poisoned());
    let outside = format!("{:?} {:?}", Tensor::zeros(DType::F32, [2]), open + 1.0);
    let expected = "Tensor(made outside of a traced function, where it has no value: a function that \
        is compiled or jitted makes tensors)";
    assert_eq!(outside, format!("{expected} {expected}"));
}

#[test]
fn a_tensor_of_an_ended_trace_is_an_error_wherever_it_is_given() {
    let ended = || {
        let trace = TraceScope::begin("ended");
        trace.parameter("x", &Spec::i32([3]), false)
    };
    let uses: [fn(Tensor, Tensor) -> Tensor; 8] = [
        |_, kept| kept,
        |x, kept| x + kept,
        |_, kept| kept + 1,
        |_, kept| kept.pad(0, 1, 1, 0),
        |_, kept| kept.one_hot("n", 3, DType::F32),
        |_, kept| kept.full_like(0),
        |x, kept| cond(kept, || x, || x),
        |x, kept| while_loop((x, kept), |_| Tensor::scalar(true, DType::Bool), |carried| carried).0,
    ];
    for (i, function) in uses.into_iter().enumerate() {
        let error = traced(TraceScope::begin("test"), [Spec::i32([3])], |[x]| function(x, ended()))
            .unwrap_err();
        let message = error.to_string();
        assert!(message.contains("`ended`, which has ended"), "use {i}: {message}");
    }
}

/// Runs code in the destructor of a thread-local value, after those of the thread's other values.
fn in_destructor<R: Send + 'static>(before: fn() -> Tensor, f: fn(Tensor) -> R) -> R {
    use std::{cell::RefCell, sync::mpsc};

    struct Last(Box<dyn FnOnce()>);
    impl Drop for Last {
        fn drop(&mut self) {
            std::mem::replace(&mut self.0, Box::new(|| ()))();
        }
    }
    thread_local! {
        static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
    }
    let (sender, results) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        // Destructors run from the last value that was used first to the first.
        LAST.set(None);
        let tensor = before();
        LAST.set(Some(Last(Box::new(move || sender.send(f(tensor)).unwrap()))));
    });
    thread.join().unwrap();
    results.recv().unwrap()
}

#[test]
fn tensors_are_usable_in_destructors_of_a_thread() {
    let before = || {
        let trace = TraceScope::begin("before");
        let x = trace.parameter("x", &Spec::f32([3]), false);
        let bad = trace.parameter("y", &Spec::f32([3]), false).sum(7);
        assert!(trace.finish(vec![(String::new(), bad)]).is_err(), "an ended trace is remembered");
        x
    };
    let (old, graph, error) = in_destructor(before, |x| {
        let old = format!("{x:?} {:?} {:?}", x + 1.0, vmap(x, 0, |x| x.sin()));
        let trace = TraceScope::begin("in a destructor");
        let y = trace.parameter("y", &Spec::f32([3]), false);
        let y = for_loop(3, y, |_, y| function_scope("layer", || y.cos() * 2.0));
        let graph = trace.finish(vec![("y".into(), y)]).unwrap().to_string();
        let trace = TraceScope::begin("another");
        let error = trace.finish(vec![("y".into(), x)]).unwrap_err().to_string();
        (old, graph, error)
    });
    let ended = "Tensor(of a trace that has ended: it has no value any more)";
    let outside = "Tensor(made outside of a traced function, where it has no value: a function that \
        is compiled or jitted makes tensors)";
    assert_eq!(old, format!("{ended} {outside} {outside}"));
    assert!(graph.contains("cosine") || graph.contains("cos"), "{graph}");
    assert!(error.contains("a tensor of trace"), "{error}");
}
