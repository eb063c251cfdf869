//! The modules of ops, which passes and derivatives keep.

use crate::traced::traced;
use hloom_graph::*;

fn x() -> Spec {
    Spec::f32([("row", 3)])
}

/// The ops of a graph with their modules, in order.
fn modules(graph: &Graph) -> Vec<String> {
    let nodes = graph.nodes().filter(|(_, node)| !matches!(node.op, Op::Parameter(_)));
    let line =
        |node: &Node| format!("{} {}", module_of(node.location).unwrap_or("-"), node.op.name());
    nodes.map(|(_, node)| line(node)).collect()
}

fn graph(f: impl FnOnce([Tensor; 1]) -> Tensor) -> Graph {
    traced(TraceScope::begin("test"), [x()], f).expect("it has no error")
}

fn gated(x: Tensor) -> Tensor {
    let gate = named_scope("gate", || x.tanh());
    named_scope("block", || named_scope("gate", || gate.exp()).sin()).cos()
}

const GATED: [&str; 4] = ["gate tanh", "block/gate exp", "block sin", "- cos"];

#[test]
fn ops_are_in_the_modules_around_them() {
    assert_eq!(modules(&graph(|[x]| gated(x))), GATED);
    // The functions that Hloom composes of ops are not modules.
    let composed = modules(&graph(|[x]| named_scope("block", || x.softmax("row"))));
    assert!(!composed.is_empty() && composed.iter().all(|op| op.starts_with("block ")));
    let composed = modules(&graph(|[x]| x.softmax("row")));
    assert!(composed.iter().all(|op| op.starts_with("- ")), "{composed:?}");
}

#[test]
fn a_module_ends_where_its_function_panics() {
    let found = graph(|[x]| {
        let broken = || named_scope("broken", || -> Tensor { panic!("in a module") });
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(broken));
        assert!(caught.is_err());
        x.tanh()
    });
    assert_eq!(modules(&found), ["- tanh"]);
}

#[test]
fn passes_keep_modules() {
    let once = graph(|[x]| gated(x));
    let again = graph(|[x]| once.replay(&[x])[0]);
    assert_eq!(modules(&again), GATED);
    assert_eq!(modules(&once.transform(&mut |_, _| None).expect("it has no error")), GATED);
    let inner = modules(&graph(|[x]| named_scope("model", || once.replay(&[x])[0])));
    assert_eq!(inner, ["model tanh", "model exp", "model sin", "model cos"]);
}

#[test]
fn derivatives_and_batches_are_in_the_modules_of_their_ops() {
    let slope = graph(|[x]| grad(x, |x| gated(x).sum("row")));
    let found = modules(&slope);
    for op in GATED {
        assert!(found.iter().any(|found| found == op), "{op} is not among {found:?}");
    }
    // The derivative of the exponential multiplies by it.
    assert!(found.iter().any(|op| op == "block/gate mul"), "{found:?}");
    let within = modules(&graph(|[x]| {
        named_scope("train", || grad(x, |x| named_scope("layer", || x.exp()).sum("row")))
    }));
    assert!(within.iter().any(|op| op == "train/layer exp"), "{within:?}");
    let mapped = modules(&graph(|[x]| vmap(x, "row", gated)));
    for op in GATED {
        assert!(mapped.iter().any(|found| found == op), "{op} is not among {mapped:?}");
    }
}

#[test]
fn an_error_in_a_module_names_it() {
    let error = traced(TraceScope::begin("test"), [x()], |[x]| {
        named_scope("block", || named_scope("gate", || x.sum("column")))
    });
    let error = error.expect_err("there is no such axis").to_string();
    assert!(error.starts_with("block: there is no axis `column`"), "{error}");
}
