//! Rewritten graphs.

use hloom_graph::{DType, Graph, Op, Spec, Tensor, TraceScope, Unary, op::Convert, while_loop};

fn graph(function: impl FnOnce(Tensor) -> Vec<Tensor>) -> Graph {
    let trace = TraceScope::begin("test");
    let x = trace.parameter("x", &Spec::f32([("n", 3)]), true);
    let results = function(x);
    let names = (0..).map(|i| format!("y{i}"));
    trace.finish(names.zip(results).collect()).expect("a sound program")
}

fn loops(x: Tensor) -> Vec<Tensor> {
    let step = |(x, i): (Tensor, Tensor)| (x.abs() + 1.0, i + 1);
    let (y, _) =
        while_loop((x, Tensor::scalar(0, DType::I32)), |(_, i): (Tensor, Tensor)| i.lt(3), step);
    vec![y.abs().reuse(x), y]
}

#[test]
fn a_graph_with_nothing_replaced_computes_the_same() {
    let from = graph(loops);
    let to = from.rewrite(|_, _| None).expect("nothing to be wrong");
    assert_eq!(from.structure_hash(), to.structure_hash());
    assert_eq!(from.to_string(), to.to_string());
    assert_eq!(to.results()[0].reuses, Some(0));
}

#[test]
fn nodes_in_bodies_are_replaced() {
    let to = graph(loops).rewrite(|rewrite, node| {
        let from = rewrite.from();
        let Op::Unary(Unary::Abs) = from.node(node).op else {
            return None;
        };
        let operand = rewrite.value(from.operands(node)[0])?;
        rewrite.add(Unary::Neg, &[operand])
    });
    let text = to.expect("the shapes fit").to_string();
    assert!(!text.contains("abs"), "{text}");
    assert_eq!(text.matches(" neg ").count(), 2, "{text}");
}

#[test]
fn what_is_not_needed_is_left_out_and_has_no_users() {
    let from = graph(|x| {
        let _ = x.exp().log();
        vec![(-x).abs()]
    });
    let mut users = Vec::new();
    let to = from.rewrite(|rewrite, _| {
        let x = rewrite.from().root().parameters[0];
        users = rewrite.users(x).iter().map(|&user| rewrite.from().node(user).op.name()).collect();
        None
    });
    assert_eq!(users, ["neg"]);
    assert_eq!(to.expect("nothing to be wrong").node_count(), 3);
}

#[test]
fn replacements_that_do_not_fit_are_refused() {
    let from = graph(|x| vec![x.abs()]);
    let error = from.rewrite(|_, _| Some(Vec::new())).expect_err("no value");
    assert!(error.to_string().contains("1 results were replaced by 0 values"), "{error}");
    let narrow = from.rewrite(|rewrite, node| {
        let x = rewrite.value(rewrite.from().operands(node)[0])?;
        rewrite.add(Convert { dtype: DType::BF16 }, &[x])
    });
    let error = narrow.expect_err("another type");
    assert!(error.to_string().contains("a result, f32[n=3], was replaced by bf16[n=3]"), "{error}");
    assert!(error.to_string().contains("rewrite.rs"), "{error}");
}
