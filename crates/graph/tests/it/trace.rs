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
    assert_eq!(format!("{kept:?}"), "Tensor(of an ended trace)");
    assert_eq!(format!("{:?}", open.sum(7)), "Tensor(poisoned)");
    drop(outer);
    assert!(open.is_poisoned());
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
