//! Restrictions on the bodies of reductions, sorts and composites.

use hloom_graph::{
    Attributes, DType, Effect, Spec, Tensor, TraceScope, composite, custom_call, for_loop,
    reduce_by, shared_composite, sort_by,
};

fn trace_error(function: impl FnOnce(Tensor) -> Tensor) -> String {
    let trace = TraceScope::begin("test");
    let x = trace.parameter("x", &Spec::f32([("n", 3)]), false);
    let y = function(x);
    trace.finish(vec![("y".into(), y)]).expect_err("it is wrong").to_string()
}

fn zero() -> Tensor {
    Tensor::scalar(0.0, DType::F32)
}

#[test]
fn a_body_sees_its_own_arguments_alone() {
    let error = trace_error(|x| {
        let outside = x.sum(..);
        reduce_by(x, zero(), "n", |a, b| a + b * outside)
    });
    assert!(error.contains("mul: a tensor made outside of a body is used inside of it"), "{error}");
    assert!(error.contains("tests/it/bodies.rs"), "{error}");
    let mut kept = None;
    let error = trace_error(|x| {
        let sum = reduce_by(x, zero(), "n", |a, b| {
            kept = Some(a);
            a + b
        });
        sum + kept.expect("the body was traced")
    });
    assert!(error.contains("add: a tensor made inside of a body is used outside of it"), "{error}");
}

#[test]
fn bodies_are_pure_and_return_what_they_take() {
    let told = |a: Tensor, b: Tensor| {
        custom_call("acme.tell", a, Vec::<Spec>::new()).effect(Effect::Unordered).call();
        a + b
    };
    let error = trace_error(|x| reduce_by(x, zero(), "n", told));
    assert!(
        error.contains(
            "reduce_by: `custom_call` has a side effect, which is not allowed in this \
             body"
        ),
        "{error}"
    );
    let error = trace_error(|x| reduce_by(x, zero(), "n", |a, b| (a + b).convert(DType::F64)));
    assert!(
        error.contains("reduce_by: the body is given f32[] as tensor 0 and returns f64[]"),
        "{error}"
    );
    let error = trace_error(|x| reduce_by(x, x, "n", |a, b| a + b));
    assert!(error.contains("reduce_by"), "{error}");
    let error = trace_error(|x| sort_by(x, "n", |a, b| a - b));
    assert!(error.contains("sort_by: the comparison returns"), "{error}");
    let error = trace_error(|x| sort_by(x, "m", |a, b| a.lt(b)));
    assert!(error.contains("sort_by: there is no axis `m`"), "{error}");
    let error = trace_error(|x| sort_by(x.convert(DType::I4), "n", |a, b| a.lt(b)));
    assert!(error.contains("sort_by: takes elements of at least a byte, not i4"), "{error}");
    let error =
        trace_error(|_| sort_by(Vec::<Tensor>::new(), 0, |_, _| zero()).pop().unwrap_or_else(zero));
    assert!(error.contains("sort_by"), "{error}");
}

#[test]
fn composites_are_merged_where_they_are_the_same() {
    let count = |function: &dyn Fn(Tensor) -> Vec<Tensor>| {
        let trace = TraceScope::begin("test");
        let x = trace.parameter("x", &Spec::f32([("n", 3)]), false);
        let results = function(x).into_iter().enumerate();
        let graph = trace
            .finish(results.map(|(i, y)| (i.to_string(), y)).collect())
            .expect("a sound program");
        let expanded = graph.expand().expect("it expands").to_string();
        assert!(!expanded.contains("for_loop"), "{expanded}");
        let copy = graph.transform(&mut |_, _| None).expect("it is recorded again");
        assert_eq!(copy.to_string(), graph.to_string());
        graph.to_string().matches("= composite").count()
    };
    let scaled = |x: Tensor, name: &str, version, by: f64| {
        composite(name, version, Attributes::new(), x, |x| x.exp() * by)
    };
    assert_eq!(count(&|x| vec![scaled(x, "a", 1, 2.0), scaled(x, "a", 1, 2.0)]), 1);
    assert_eq!(count(&|x| vec![scaled(x, "a", 1, 2.0), scaled(x, "a", 1, 3.0)]), 2);
    assert_eq!(count(&|x| vec![scaled(x, "a", 1, 2.0), scaled(x, "b", 1, 2.0)]), 2);
    assert_eq!(count(&|x| vec![scaled(x, "a", 1, 2.0), scaled(x, "a", 2, 2.0)]), 2);
    assert_eq!(count(&|x| vec![scaled(x, "a", 1, 2.0), scaled(x + 1, "a", 1, 2.0)]), 2);
    // Other axis names make another body: its ops may refer to axes by name.
    assert_eq!(
        count(&|x| vec![scaled(x, "a", 1, 2.0), scaled(x.rename("n", "m"), "a", 1, 2.0)]),
        2
    );
    let looped =
        |x: Tensor| composite("loop", 1, Attributes::new(), x, |x| for_loop(3, x, |_, x| x + x));
    assert_eq!(count(&|x| vec![looped(x), looped(x)]), 1);
}

#[test]
fn what_goes_wrong_in_a_composite_is_told() {
    let error = trace_error(|x| {
        composite("a", 1, Attributes::new(), Tensor::scalar(1, DType::F32), |y| y + x)
    });
    assert!(error.contains("add: a tensor made outside of a body is used inside of it"), "{error}");
    let error = trace_error(|x| composite("a", 1, Attributes::new(), x, |x| x.sum("m")));
    assert!(error.contains("sum: there is no axis `m`"), "{error}");
    assert!(error.contains("tests/it/bodies.rs"), "{error}");
}

#[test]
fn shared_composites_trace_a_body_once_for_each_look() {
    let traced = std::cell::Cell::new(0);
    let double = |x: Tensor, by: f64| {
        let attributes = Attributes::new().with("by", by);
        shared_composite("test.double", 1, attributes, &[x], |x| {
            traced.set(traced.get() + 1);
            x[0] * by
        })
    };
    let trace = TraceScope::begin("test");
    let x = trace.parameter("x", &Spec::f32([("n", 3)]), false);
    let y = double(double(double(x, 2.0), 2.0), 2.0);
    assert_eq!(traced.get(), 1);
    let others =
        [double(x, 3.0), double(x.rename("n", "m"), 2.0), double(x.convert(DType::F64), 2.0)];
    assert_eq!(traced.get(), 4);
    // Merged like any nodes of the same op and operands.
    assert_eq!(double(x, 3.0).shape(), others[0].shape());
    let looped = for_loop(2, x, |_, x| double(x, 2.0));
    assert_eq!(traced.get(), 4, "a body may stand outside of the loop that uses it");
    let results = [vec![y, looped], others.to_vec()].concat().into_iter().enumerate();
    let graph = trace.finish(results.map(|(i, y)| (i.to_string(), y)).collect());
    let graph = graph.expect("a sound program");
    assert_eq!(graph.to_string().matches("= composite").count(), 7, "{graph}");
    let copy = graph.transform(&mut |_, _| None).expect("it is recorded again");
    assert_eq!(copy.to_string(), graph.to_string());
    assert_eq!(copy.structure_hash(), graph.structure_hash());
}

#[test]
fn what_goes_wrong_in_a_shared_composite_is_told_each_time() {
    let error = trace_error(|x| {
        let shared = || shared_composite("a", 1, Attributes::new(), &[x], |x| x[0].sum("m"));
        shared();
        shared()
    });
    assert!(error.contains("sum: there is no axis `m`"), "{error}");
    assert!(error.contains("tests/it/bodies.rs"), "{error}");
    assert!(error.contains("1 more"), "{error}");
    let error = trace_error(|x| {
        let attributes = Attributes::new().with("z", num_complex::Complex::new(1f32, 2.0));
        composite("a", 1, attributes, x, |x| x)
    });
    assert!(
        error.contains("attribute `z`: composites have no attributes that are a scalar of c64"),
        "{error}"
    );
    let error = trace_error(|x| composite("hloom.attention", 1, Attributes::new(), x, |x| x));
    assert!(error.contains("names that begin with `hloom.` are reserved"), "{error}");
    let error =
        trace_error(|x| shared_composite("hloom.attention", 1, Attributes::new(), &[x], |x| x[0]));
    assert!(error.contains("names that begin with `hloom.` are reserved"), "{error}");
    assert!(error.contains("tests/it/bodies.rs"), "{error}");
    let error = trace_error(|x| x.convert(DType::I32).softmax("n"));
    assert!(error.contains("exp"), "{error}");
    let error = trace_error(|x| x.softmax("m"));
    assert!(error.contains("there is no axis `m`"), "{error}");
}
