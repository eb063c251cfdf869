//! Arguments, results and attributes of functions, and which ops are lowered.

use crate::{graph, text};
use hloom_graph::{Attributes, DType, Spec, Tensor, TraceScope, composite};
use hloom_stablehlo::{Context, LowerOptions, lower};

#[test]
fn ops_carry_the_callers_line_and_arguments_their_path() {
    let trace = TraceScope::begin("lines");
    let x = trace.parameter("layers.0.weight", &Spec::f32([2]), false);
    let line = line!() + 1;
    let y = x.exp();
    let graph = trace.finish(vec![("y".into(), y)]).expect("the shapes fit");
    let context = Context::new();
    let module = lower(&context, &graph, &LowerOptions::default()).expect("the module is sound");
    let text = module.text_with_locations();
    let file = file!();
    assert!(text.contains(&format!("loc(\"{file}\":{line}:15)")), "{text}");
    assert!(text.contains("loc(\"layers.0.weight\"("), "{text}");
    assert!(text.contains("jax.arg_info = \"layers.0.weight\""), "{text}");
    assert!(text.contains("jax.result_info = \"y\""), "{text}");

    let options = LowerOptions { locations: false, ..LowerOptions::default() };
    let module = lower(&context, &graph, &options).expect("the module is sound");
    assert!(!module.text_with_locations().contains(file));
}

#[test]
fn donated_arguments_are_tied_to_the_first_result_that_reuses_them() {
    let trace = TraceScope::begin("donation");
    let kept = trace.parameter("kept", &Spec::f32([2]), false);
    let reused = trace.parameter("reused", &Spec::f32([2]), true);
    let spare = trace.parameter("spare", &Spec::f32([2]), true);
    let next = (reused + kept).reuse(reused);
    let results = vec![("a".into(), spare * kept), ("b".into(), next), ("c".into(), next)];
    let graph = trace.finish(results).expect("the shapes fit");
    let text = text(&graph);
    let arguments = "%arg0: tensor<2xf32> {jax.arg_info = \"kept\"}, %arg1: tensor<2xf32> \
                     {jax.arg_info = \"reused\", tf.aliasing_output = 1 : i32}, %arg2: \
                     tensor<2xf32> {jax.arg_info = \"spare\", jax.buffer_donor = true}";
    assert!(text.contains(arguments), "{text}");
}

#[test]
fn what_no_result_needs_is_not_lowered() {
    let graph = graph("dead", || {
        let x = Tensor::iota(DType::F32, [4], 0);
        let _unused = x.exp().sort(0, false);
        vec![x]
    });
    let text = text(&graph);
    assert_eq!(text.matches("\"stablehlo.").count(), 1, "{text}");
}

#[test]
fn arguments_can_be_results_and_stay_when_unused() {
    let trace = TraceScope::begin("identity");
    let x = trace.parameter("x", &Spec::f32([("n", 2)]), false);
    trace.parameter("unused", &Spec::f32([3]), false);
    let results = vec![("x".into(), x), ("renamed".into(), x.rename("n", "m"))];
    let graph = trace.finish(results).expect("the shapes fit");
    let text = text(&graph);
    assert!(text.contains("%arg1: tensor<3xf32>"), "{text}");
    assert!(text.contains("return %arg0, %arg0 : tensor<2xf32>, tensor<2xf32>"), "{text}");
}

#[test]
fn module_names_are_made_of_what_every_tool_takes() {
    for (name, expected) in [
        ("Mlp::forward", "Mlp__forward"),
        ("", "_"),
        ("3d é/\"", "_3d____"),
        ("decode-step.v2", "decode-step.v2"),
    ] {
        let graph = graph(name, || vec![Tensor::scalar(1, DType::I32)]);
        let context = Context::new();
        let module =
            lower(&context, &graph, &LowerOptions::default()).expect("the module is sound");
        assert_eq!(module.name(), expected);
        assert!(
            module.text().contains(
                "attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32}"
            )
        );
    }
}

#[test]
fn replicas_and_partitions_are_attributes_of_the_module() {
    let graph = graph("many", || vec![Tensor::scalar(1, DType::I32)]);
    let context = Context::new();
    let options = LowerOptions { replicas: 2, partitions: 4, ..LowerOptions::default() };
    let text = lower(&context, &graph, &options).expect("the module is sound").text();
    assert!(text.contains("mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32"), "{text}");
}

#[test]
fn names_with_any_characters_pass() {
    let trace = TraceScope::begin("names");
    let name = "a \"quoted\"\n\\ naïve\u{0}name";
    let x = trace.parameter(name, &Spec::f32([1]), false);
    let graph = trace.finish(vec![(name.into(), x)]).expect("the shapes fit");
    let context = Context::new();
    let module = lower(&context, &graph, &LowerOptions::default()).expect("the module is sound");
    assert!(module.text_with_locations().contains(r#"a \22quoted\22\0A"#));
    assert!(module.code().windows(8).any(|bytes| bytes == b"\"quoted\""));
}

#[test]
fn composites_stay_where_that_is_asked_for() {
    let graph = graph("test", || {
        let x = Tensor::arange(DType::F32, "n", 4);
        let attributes = Attributes::new().with("epsilon", 1e-5).with("axes", [0i64, 2]);
        let squared = composite("acme.norm", 3, attributes, x, |x| (x * x, x.softmax(0)));
        vec![squared.0, squared.1.softmax(0)]
    });
    let text = |composites| {
        let options = LowerOptions { composites, ..LowerOptions::default() };
        lower(&Context::new(), &graph, &options).expect("it lowers").text()
    };
    let kept = text(true);
    assert_eq!(kept.matches("name = \"acme.norm\"").count(), 1, "{kept}");
    // A composite nested in another one, and a composite that shares its body, in which a gradient
    // is stopped.
    assert_eq!(kept.matches("name = \"hloom.softmax\"").count(), 2, "{kept}");
    assert_eq!(kept.matches("func.func private @composite_").count(), 3, "{kept}");
    assert!(kept.contains("axes = array<i64: 0, 2>") && kept.contains("version = 3"), "{kept}");
    assert!(!text(false).contains("stablehlo.composite"));
}
