//! Modules are the same in both forms: the text, parsed by MLIR, is the module built in MLIR's
//! memory.

use crate::{graph, programs};
use hloom_graph::{Attributes, DType, Graph, Spec, Tensor, TraceScope, custom_call};
use hloom_stablehlo::{Context, LowerOptions, Module, ModuleForm, Partitioner, lower};

/// The texts of a graph's module in both forms, the text form printed by MLIR.
pub fn both(
    context: &Context,
    graph: &Graph,
    options: &LowerOptions,
) -> Result<[String; 2], String> {
    let formed = |form| {
        let options = LowerOptions { form, ..options.clone() };
        lower(context, graph, &options).map_err(|error| error.to_string())
    };
    let (built, printed) = (formed(ModuleForm::Mlir)?, formed(ModuleForm::Text)?);
    let text = printed.text_with_locations();
    let read = Module::parse(context, &text).map_err(|error| format!("{error}\n{text}"))?;
    read.verify().map_err(|error| format!("{error}\n{text}"))?;
    Ok([&built, &read].map(Module::text_with_locations))
}

#[track_caller]
fn assert_same(graph: &Graph, options: &LowerOptions) {
    let [built, read] =
        both(&Context::new(), graph, options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read, built, "{}", graph.name());
}

#[test]
fn programs_are_the_same_in_both_forms() {
    for (_, graph) in programs::all() {
        assert_same(&graph, &LowerOptions::default());
    }
}

#[test]
fn options_are_the_same_in_both_forms() {
    let options = LowerOptions {
        locations: false,
        replicas: 2,
        partitions: 4,
        partitioner: Partitioner::Gspmd,
        composites: true,
        ..LowerOptions::default()
    };
    for (_, graph) in programs::all() {
        assert_same(&graph, &options);
    }
}

#[test]
fn constants_of_every_type_are_the_same_in_both_forms() {
    for dtype in DType::ALL {
        let graph = graph(dtype.name(), || {
            let ones = Tensor::ones(dtype, [3]);
            let mut all = vec![Tensor::zeros(dtype, [2, 2]), ones, Tensor::zeros(dtype, [0])];
            if !dtype.is_complex() {
                all.extend([ones.max(0), ones.min(0), ones.sort(0, false), ones.sort(0, true)]);
            }
            all
        });
        assert_same(&graph, &LowerOptions::default());
    }
}

#[test]
fn literals_are_the_same_in_both_forms() {
    fn constants<T: hloom_graph::Element>(values: &[T]) -> Vec<Tensor> {
        let many: Vec<T> = values.iter().copied().cycle().take(1000).collect();
        vec![
            Tensor::constant(values, [values.len()]),
            Tensor::constant(&values[..1], [1, 1]),
            Tensor::constant(&[values[0]; 4], [2, 2]),
            Tensor::constant(&many, [10, 100]),
            Tensor::constant(&values[..0], [0, 3]),
            Tensor::constant(&values[..1], [0usize; 0]),
        ]
    }
    let floats = [
        0.1f32,
        -0.0,
        f32::MIN_POSITIVE,
        1e-45,
        f32::MAX,
        f32::NEG_INFINITY,
        f32::from_bits(0x7F80_0001),
        -f32::NAN,
    ];
    let halves = floats.map(half::bf16::from_f32);
    let doubles = [0.1f64, 1e300, 5e-324, f64::MAX, f64::NAN, f64::INFINITY, -1.0, 123_456_789.0];
    let complex = floats.map(|x| num_complex::Complex::new(x, -x));
    let graph = graph("literals", || {
        [
            constants(&floats),
            constants(&halves),
            constants(&floats.map(half::f16::from_f32)),
            constants(&doubles),
            constants(&complex),
            constants(&[i64::MIN, -1, i64::MAX]),
            constants(&[u64::MAX, 0, 1]),
            constants(&[i8::MIN, -1, 0, 1]),
            constants(&[true, false, true]),
        ]
        .concat()
    });
    assert_same(&graph, &LowerOptions::default());
    // Each float alone, written in decimal.
    for value in floats {
        let all =
            || vec![Tensor::constant(&[value], [1]), Tensor::constant(&[f64::from(value)], [1])];
        assert_same(&crate::graph("scalar", all), &LowerOptions::default());
    }
}

#[test]
fn strings_of_any_characters_are_the_same_in_both_forms() {
    let hard = "a \"quoted\"\n\\ naïve\u{0}name loc(#loc1), \u{7f}\t%0 {";
    let trace = TraceScope::begin(hard);
    let x = trace.parameter(hard, &Spec::f32([1]), true);
    let nested = Attributes::new().with("7", Attributes::new()).with("é", "");
    let y = custom_call(hard, x, Spec::f32([1]))
        .attribute(hard, hard)
        .attribute("true", true)
        .attribute("f32", 0.1f32)
        .attribute("nested", nested)
        .call();
    let graph = trace.finish(vec![(hard.into(), y)]).expect("the shapes fit");
    assert_same(&graph, &LowerOptions::default());
}

#[test]
fn text_reads_without_locations() {
    let line = "loc(#loc1)";
    let trace = TraceScope::begin("lines");
    let [x, y] = ["x", line].map(|name| trace.parameter(name, &Spec::f32([2]), false));
    let graph = trace.finish(vec![(line.into(), (x + y).sum(0))]).expect("the shapes fit");
    let context = Context::new();
    let options = LowerOptions { form: ModuleForm::Text, ..LowerOptions::default() };
    let module = lower(&context, &graph, &options).expect("text is not verified");
    let expected = r#""builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<2xf32>,
       %arg1: tensor<2xf32>):
    %2 = "stablehlo.add"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %3 = "stablehlo.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %7 = "stablehlo.reduce"(%2, %3) ({
    ^bb0(%arg4: tensor<f32>,
         %arg5: tensor<f32>):
      %6 = "stablehlo.add"(%arg4, %arg5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%6) : (tensor<f32>) -> ()
    }) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    "func.return"(%7) : (tensor<f32>) -> ()
  }) {sym_name = "main", sym_visibility = "public", function_type = (tensor<2xf32>, tensor<2xf32>) -> (tensor<f32>), arg_attrs = [{jax.arg_info = "x"}, {jax.arg_info = "loc(#loc1)"}], res_attrs = [{jax.result_info = "loc(#loc1)"}]} : () -> ()
}) {sym_name = "lines", mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
"#;
    assert_eq!(module.text(), expected);
    assert_eq!(module.code(), module.text_with_locations().into_bytes());
}
