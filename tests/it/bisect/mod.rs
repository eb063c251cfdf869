//! Programs on which a plugin and the interpreter differ, made small: defects of the plugin with
//! their work-arounds off, and planted faults.

mod planted;

use crate::platforms::cpu;
use hloom::{
    StableHlo,
    graph::{Graph, TraceScope},
    interpret::{Array, Bisector, Difference, bisect, call, live_op_count, write},
    ops::ConvOptions,
    prelude::*,
};
use hloom_stablehlo::{Context, LowerOptions, lower};
use hloom_test_support::LoadOwn;

/// Small whole numbers for each parameter of a graph.
fn inputs(graph: &Graph) -> Vec<Array> {
    let input = |&value: &hloom::graph::ValueId| {
        let shape = graph.shape(value);
        let number = |i: usize| ((i * 5 + i / 7) % 9) as f32 / 4.0 - 1.0;
        let values: Vec<f32> = (0..shape.element_count()).map(number).collect();
        Array::new(shape, &values).expect("the numbers are f32")
    };
    graph.root().parameters.iter().map(input).collect()
}

/// The results of the lowered graph, without the passes of the runtime.
fn without_passes(graph: &Graph, inputs: &[Array]) -> Result<Vec<Array>, String> {
    let context = Context::new();
    let module = lower(&context, graph, &LowerOptions::default());
    let text = module.map_err(|error| error.to_string())?.text();
    let exe = cpu().compiler().load_own(&StableHlo::from_text(&text));
    let exe = exe.map_err(|error| error.to_string())?;
    call(cpu(), &exe, inputs).map_err(|error| error.to_string())
}

/// The smallest program on which the plugin without work-arounds is wrong.
fn smallest(graph: &Graph) -> Difference {
    let inputs = inputs(graph);
    let found = Bisector::new().run(graph, &inputs, &mut without_passes);
    let difference = found.expect("both evaluate the program").expect("the plugin is wrong");
    eprintln!("{difference:?}");
    difference
}

/// A network of several layers, whose values `part` takes a place among, and two results.
fn around(trace: TraceScope, x: Tensor, part: impl FnOnce(Tensor) -> Tensor) -> Graph {
    let before = (x.tanh() * 2 + 1).abs();
    let scaled = before / (before.sum_keep(-1) + 1);
    let y = part(scaled - before.mean_keep(-1));
    let after = (y.sigmoid() * 3 - 1).maximum(-0.5);
    let results = vec![
        ("mean".into(), scaled.log1p().mean(..)),
        ("after".into(), after),
        ("part".into(), y),
        ("square".into(), (y * y).sum(..)),
    ];
    trace.finish(results).expect("the ops fit")
}

#[test]
fn a_shifted_update_in_place_is_found() {
    let trace = TraceScope::begin("shift");
    let x = trace.parameter("x", &Spec::f32([("t", 6)]), false);
    let graph =
        around(trace, x, |x| x.at("t", 1..).set(x.slice("t", ..-1)).insert_axis(0, "batch"));
    // By hand: slice, start index, update, reshape.
    let difference = smallest(&graph);
    let ops = live_op_count(&difference.graph);
    assert!(ops <= 6, "{ops} of {} ops are left\n{difference:?}", live_op_count(&graph));
    assert_eq!(difference.graph.results().len(), 1);
}

#[test]
fn a_convolution_that_crops_is_found() {
    let trace = TraceScope::begin("crop");
    let x = trace.parameter("x", &Spec::f32([("n", 1), ("y", 3), ("x", 5), ("c", 8)]), false);
    let k = trace.parameter("k", &Spec::f32([("y", 1), ("x", 1), ("c", 8), ("out", 8)]), false);
    let graph = around(trace, x, |x| {
        let options = ConvOptions::new().padding([(0isize, 0isize), (-1, 1)]);
        x.conv(k * 2, "c", ["y", "x"], options)
    });
    // By hand: the convolution.
    let difference = smallest(&graph);
    let ops = live_op_count(&difference.graph);
    assert!(ops <= 1, "{ops} of {} ops are left\n{difference:?}", live_op_count(&graph));
    assert_eq!(difference.graph.results().len(), 1);
}

#[test]
fn with_the_passes_of_the_runtime_nothing_differs() {
    let trace = TraceScope::begin("shift");
    let x = trace.parameter("x", &Spec::f32([("t", 6)]), false);
    let graph =
        around(trace, x, |x| x.at("t", 1..).set(x.slice("t", ..-1)).insert_axis(0, "batch"));
    assert!(bisect(cpu(), &graph, &inputs(&graph)).expect("both evaluate it").is_none());
}

#[test]
fn a_difference_is_written_as_files_that_load() {
    let trace = TraceScope::begin("shift");
    let x = trace.parameter("x", &Spec::f32([("t", 6)]), false);
    let shifted = x.at("t", 1..).set(x.slice("t", ..-1)).insert_axis(0, "batch");
    let graph = trace.finish(vec![("y".into(), shifted)]).expect("the ops fit");
    let difference = smallest(&graph);
    let folder = tempfile::tempdir().expect("there is room");
    write(cpu(), &difference, folder.path()).expect("the files are written");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
    assert_eq!(read("graph.txt"), difference.graph.to_string());
    assert!(read("results.txt").starts_with("interpreter: ["));
    let program = read("main.rs");
    for (parameter, input) in difference.graph.parameters().iter().zip(&difference.inputs) {
        let line = format!("input({:?}, DType::{:?}", parameter.name, input.shape().dtype());
        assert!(program.contains(&line), "{line}\n{program}");
    }
    let stored = hloom::io::npy::load_all(cpu(), folder.path().join("inputs.npz")).expect("npz");
    let module = StableHlo::from_text(&read("program.mlir"));
    let exe = cpu().compiler().load_own(&module).expect("it loads");
    let parameters = difference.graph.parameters().iter();
    let inputs: Vec<Argument> =
        parameters.map(|parameter| Argument::Borrowed(&stored[&parameter.name])).collect();
    let results = exe.call(inputs).expect("it runs");
    // The runtime compiles with the work-around.
    let bytes: Vec<Vec<u8>> = results.iter().map(|x| x.to_bytes().expect("it is read")).collect();
    let expected: Vec<Vec<u8>> = difference.expected.iter().map(Array::to_bytes).collect();
    assert_eq!(bytes, expected);
}
