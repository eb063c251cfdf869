//! Lowered graphs as text: their snapshots, and the pages of ops and methods.
//!
//! Apart from `it`: none of it needs MLIR.

mod method_table;
mod mistakes;
mod op_table;
mod programs;
mod snapshots;

use hloom_graph::Graph;
use hloom_stablehlo::{Context, LowerOptions, ModuleForm, lower};

/// The text of a module with these options.
fn text_with(graph: &Graph, options: LowerOptions) -> String {
    let options = LowerOptions { form: ModuleForm::Text, ..options };
    let context = Context::new();
    lower(&context, graph, &options).expect("the test's graph is sound").text()
}

/// The module's text.
fn text(graph: &Graph) -> String {
    text_with(graph, LowerOptions::default())
}
