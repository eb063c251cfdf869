//! Messages of plugins that show lines of Rust.

use hloom_graph::{DType, Spec, Tensor, custom_call};
use hloom_pjrt::{CompileOptions, ErrorCode, Program};
use hloom_runtime::{Buffer, Error, ModuleForm, trace_function};
use hloom_stablehlo::{Context, LowerOptions, lower};
use hloom_test_support::{CPU, CompileOwn};

/// X2: a check of the plugin that fails reports the Rust line of the op, which the module carries,
/// in both of its forms.
#[test]
fn a_failing_check_of_the_plugin_shows_the_line() {
    let line = line!() + 1;
    let turned = |x: Tensor| x.transpose([1, 0]);
    let graph = trace_function(turned, (Spec::f32([2, 2]),)).unwrap();
    for form in [ModuleForm::default(), ModuleForm::Text] {
        let context = Context::new();
        let options = LowerOptions { form, ..LowerOptions::default() };
        let module = lower(&context, &graph, &options).unwrap();
        // No op of ours lowers to this.
        let text = module.text_with_locations();
        assert_eq!(text.matches("i64: 1, 0>").count(), 1, "{text}");
        let text = text.replace("i64: 1, 0>", "i64: 1, 1>");
        let error = CPU.client().compile_own(&Program::mlir(text), &CompileOptions::new());
        let error = error.map(drop).unwrap_err().to_string();
        assert!(error.contains("stablehlo.transpose"), "{error}");
        let place = format!("{}:{line}:", file!());
        assert!(error.contains(&place), "{place} is not in {error}");
    }
}

/// X2: the line of a custom call that the plugin does not know is in the error.
#[test]
fn an_unknown_custom_call_shows_its_lines() {
    let line = line!() + 2;
    let calls = |x: Tensor| {
        let y = custom_call("acme.unknown", x, Spec::of(x.shape())).call();
        let other = custom_call("acme.unknown.too", y, Spec::of(x.shape())).call();
        other + y
    };
    let error = CPU.compile(calls, (Spec::f32([2]),)).map(drop).unwrap_err().to_string();
    let first = format!("`acme.unknown` is called at {}:{line}:", file!());
    let second = format!("`acme.unknown.too` is called at {}:{}:", file!(), line + 1);
    assert!(error.contains(&first) != error.contains(&second), "{error}");
}

/// X2: a program that is out of memory reports its largest value and the line that computes it.
#[test]
fn an_error_of_resources_shows_the_line_of_the_largest_value() {
    let line = line!() + 2;
    let large = |x: Tensor| {
        let wide = x.broadcast_to([("a", 1 << 20), ("b", 1 << 22), ("n", 2)]);
        (wide * 2, x + 1)
    };
    let spec = Spec::new(DType::F32, [("n", 2)]);
    let exe = CPU.compile(large, (spec.clone(),)).unwrap();
    let x = Buffer::zeros(&CPU, spec).unwrap();
    let error = exe.call((&x,)).map(drop).unwrap_err();
    let text = error.to_string();
    let Error::Plugin { source, .. } = error else { panic!("{text}") };
    assert_eq!(source.code(), ErrorCode::ResourceExhausted, "{text}");
    let expected = format!(
        "the largest value is f32[a=1048576, b=4194304, n=2], 35184372088832 bytes, at {}:{line}:",
        file!()
    );
    assert!(text.contains(&expected), "{expected} is not in {text}");
}
