//! Lowered graphs, as modules in MLIR's memory.

mod extremes;
mod forms;
mod function;
mod jaxlib;
#[expect(dead_code, reason = "wrong calls fail before a module is built")]
mod programs;
mod types;

use hloom_graph::{Graph, Tensor, TraceScope};
use hloom_stablehlo::{Context, LowerOptions, lower};

/// A graph of tensors without operands.
fn graph(name: &str, function: impl FnOnce() -> Vec<Tensor>) -> Graph {
    let trace = TraceScope::begin(name);
    let results = function().into_iter().enumerate();
    let results = results.map(|(i, tensor)| (i.to_string(), tensor)).collect();
    trace.finish(results).expect("the test's shapes fit")
}

/// The module's text.
fn text(graph: &Graph) -> String {
    let context = Context::new();
    let module = lower(&context, graph, &LowerOptions::default());
    module.expect("the test's module is sound").text()
}
