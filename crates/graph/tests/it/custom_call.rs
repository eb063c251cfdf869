//! Custom calls: checks while tracing, and which calls an effect keeps.

use hloom_graph::*;

/// Traces a function of one argument.
fn graph(spec: Spec, f: impl FnOnce(Tensor) -> Vec<Tensor>) -> Result<Graph, TraceError> {
    let trace = TraceScope::begin("test");
    let x = trace.parameter("x", &spec, false);
    let results = f(x).into_iter().enumerate();
    let results = results.map(|(i, tensor)| (i.to_string(), tensor)).collect();
    trace.finish(results)
}

/// The error of the call built by `make`.
fn trace_error(make: impl FnOnce(Tensor) -> Vec<Tensor>) -> String {
    graph(Spec::f32([("n", 3)]), make).expect_err("it is an error").to_string()
}

fn calls(graph: &Graph) -> usize {
    let live = graph.live();
    let call =
        |(id, node): &(NodeId, &Node)| live[id.index()] && matches!(node.op, Op::CustomCall(_));
    graph.nodes().filter(call).count()
}

/// A call without results.
fn notify(x: Tensor, effect: Effect) {
    let nothing: Vec<Tensor> =
        custom_call("test.notify", x, Vec::<Spec>::new()).effect(effect).call();
    assert!(nothing.is_empty());
}

#[test]
fn trees_of_operands_and_results_go_in_and_come_out() {
    let graph = graph(Spec::f32([("n", 3)]), |x| {
        let (sum, rest): (Tensor, Vec<Tensor>) = custom_call(
            "test.many",
            (x, vec![x + 1, x]),
            (Spec::f32([("n", 3)]), vec![Spec::i32([2, 2]), Spec::scalar(DType::Bool)]),
        )
        .attribute("count", 2i64)
        .attribute("names", Attributes::new().with("first", "a\"b"))
        .call();
        assert_eq!(sum.shape().to_string(), "f32[n=3]");
        vec![sum, rest[0], rest[1]]
    });
    let text = graph.expect("the call is sound").to_string();
    let line = r#"%3, %4, %5 = custom_call %0, %2, %0 of `test.many` {count = 2, names = {first = "a\"b"}} : f32[n=3], i32[2, 2], bool[]"#;
    assert!(text.contains(line), "{text}");
}

#[test]
fn pure_calls_are_shared_and_go_when_nothing_needs_them() {
    let call = |x: Tensor, scale: f32| {
        custom_call("test.f", x, Spec::f32([3])).attribute("scale", scale).call()
    };
    let shared = graph(Spec::f32([3]), |x| {
        call(x, 3.0);
        vec![call(x, 1.0) + call(x, 1.0), call(x, 2.0)]
    });
    assert_eq!(calls(&shared.expect("the calls are sound")), 2);
}

#[test]
fn calls_with_an_effect_are_kept_also_in_bodies_that_no_result_needs() {
    for effect in [Effect::Unordered, Effect::Ordered] {
        let kept = graph(Spec::f32([3]), |x| {
            notify(x, effect);
            notify(x, effect);
            for_loop(3, x, |_, x| {
                cond(x.sum(0).gt(0), || notify_and(x, effect), || x);
                x
            });
            vec![x]
        });
        assert_eq!(calls(&kept.expect("the calls are sound")), 3, "{effect:?}");
    }
    let gone = graph(Spec::f32([3]), |x| {
        for_loop(3, x, |_, x| notify_and(x, Effect::Pure));
        vec![x]
    });
    assert_eq!(calls(&gone.expect("the calls are sound")), 0);
}

fn notify_and(x: Tensor, effect: Effect) -> Tensor {
    notify(x, effect);
    x + 1
}

#[test]
fn a_body_that_never_runs_has_no_effect() {
    let none = graph(Spec::f32([("step", 0), ("n", 3)]), |x| {
        let (_, ys) = scan(Tensor::zeros(DType::F32, [3]), x, "step", |sum, x| {
            notify(x, Effect::Ordered);
            (sum + x, x)
        });
        vec![ys]
    });
    let none = none.expect("the calls are sound");
    assert_eq!(calls(&none), 0);
    assert_eq!(none.shape(none.root().results[0]).to_string(), "f32[step=0, n=3]");
}

#[test]
fn the_structure_hash_tells_calls_apart() {
    let hash = |make: &dyn Fn(CustomCallBuilder<Spec>) -> CustomCallBuilder<Spec>| {
        let graph =
            graph(Spec::f32([3]), |x| vec![make(custom_call("test.f", x, Spec::f32([3]))).call()]);
        graph.expect("the call is sound").structure_hash()
    };
    let all = [
        hash(&|call| call),
        hash(&|call| call.attribute("a", 1i32)),
        hash(&|call| call.attribute("a", 1i64)),
        hash(&|call| call.attribute("a", [1i64])),
        hash(&|call| call.attribute("a", "1")),
        hash(&|call| call.attribute("a", f32::NAN)),
        hash(&|call| call.effect(Effect::Unordered)),
        hash(&|call| call.effect(Effect::Ordered)),
        hash(&|call| call.alias(0, 0)),
        hash(&|call| call.opaque(1, "")),
        hash(&|call| call.opaque(2, "")),
    ];
    for (i, a) in all.iter().enumerate() {
        assert!(all[i + 1..].iter().all(|b| a != b), "{i}");
    }
    assert_eq!(all[5], hash(&|call| call.attribute("a", f32::NAN)));
}

#[test]
fn unsound_calls_are_errors_of_the_trace() {
    let one = Spec::f32([3]);
    let said = trace_error(|x| vec![custom_call("", x, one.clone()).call()]);
    assert!(
        said.contains("custom_call: it has no name") && said.contains("custom_call.rs"),
        "{said}"
    );
    let line = line!() + 1;
    let said = trace_error(|x| vec![custom_call("hloom.inverse", x, one.clone()).call()]);
    let expected =
        "there is no target `hloom.inverse`: names that begin with `hloom.` are reserved";
    assert!(said.contains(expected), "{said}");
    assert!(said.contains(&format!("custom_call.rs:{line}")), "{said}");
    let said = trace_error(|x| record(CustomCall::new("hloom.inverse", [x.shape()]), &[x]));
    assert!(said.contains(expected), "{said}");
    let said = trace_error(|x| vec![custom_call("f", x, one.clone()).alias(0, 1).call()]);
    assert!(
        said.contains("there are 1 results and 1 operands") && said.contains("f32[n=3]"),
        "{said}"
    );
    let said = trace_error(|x| vec![custom_call("f", x, Spec::i32([3])).alias(0, 0).call()]);
    assert!(
        said.contains("result 0 is i32[3], operand 0, whose memory it takes, f32[n=3]"),
        "{said}"
    );
    let said = trace_error(|x| {
        custom_call("f", x, [one.clone(), one.clone()]).alias(0, 0).alias(1, 0).call().into()
    });
    assert!(said.contains("shares memory twice"), "{said}");
    let nested = Attributes::new().with("deep", [true, false]);
    let said =
        trace_error(|x| vec![custom_call("f", x, one.clone()).attribute("outer", nested).call()]);
    assert!(said.contains("`outer` of `f`") && said.contains("an array of bool"), "{said}");
    let said = trace_error(|x| vec![custom_call("f", x, one.clone()).opaque(4, "").call()]);
    assert!(said.contains("no interface of version 4"), "{said}");
    let said = trace_error(|x| vec![custom_call("f", x, Spec::f32([("a", 1), ("a", 2)])).call()]);
    assert!(said.contains("duplicate axis `a`"), "{said}");
}

#[test]
fn a_program_is_split_at_calls_of_the_host() {
    let host = |name: &str, x: Tensor| -> Tensor {
        let function = std::sync::Arc::new(name.to_owned());
        custom_call("test.host", x, Spec::of(x.shape()))
            .effect(Effect::Ordered)
            .host_call(name, function, None)
            .call()
    };
    let whole = graph(Spec::f32([("n", 3)]), |x| {
        let shared = x.exp();
        let first = host("first", shared + 1);
        let second = host("second", first * shared);
        vec![second - x]
    });
    let (steps, rest) =
        whole.expect("the calls are sound").host_steps().expect("they stand outside of bodies");
    let texts: Vec<String> = steps
        .iter()
        .map(|step| format!("{} {:?} {}", step.slot, step.outputs[0].shape(), step.inputs))
        .collect();
    let expected = [
        "0 f32[n=3] test.0 {\n  %0 = argument `x` : f32[n=3]\n  %1 = exp %0 : f32[n=3]\n  %2 = \
         splat 1.0 : f32[n=3]\n  %3 = add %1, %2 : f32[n=3]\n  return %3 as `first.0`\n}\n",
        "1 f32[n=3] test.1 {\n  %0 = argument `x` : f32[n=3]\n  %1 = argument `first.0` : \
         f32[n=3]\n  %2 = exp %0 : f32[n=3]\n  %3 = mul %1, %2 : f32[n=3]\n  return %3 as \
         `second.0`\n}\n",
    ];
    assert_eq!(texts, expected);
    let expected = "test {\n  %0 = argument `x` : f32[n=3]\n  %1 = argument `first.0` : \
                    f32[n=3]\n  %2 = argument `second.0` : f32[n=3]\n  %3 = sub %2, %0 : \
                    f32[n=3]\n  return %3 as `0`\n}\n";
    assert_eq!(rest.to_string(), expected);

    let inside = graph(Spec::f32([3]), |x| vec![for_loop(2, x, |_, x| host("inner", x))])
        .expect("the call is sound");
    let said = inside.host_steps().map(drop).expect_err("it is in a loop").to_string();
    assert!(
        said.contains("host_steps: callback `inner` is inside of a body")
            && said.contains("custom_call.rs"),
        "{said}"
    );
}
