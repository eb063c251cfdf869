//! Ops recorded by hand, and replayed graphs.

use hloom_graph::{
    Binary, DType, Graph, NodeId, Op, RegionKind, Replay, Shape, Spec, Tensor, TraceError,
    TraceScope, Unary, cond, custom_call,
    op::{Case, While},
    record, record_region, while_loop,
};

fn graph(function: impl FnOnce(Tensor) -> Vec<Tensor>) -> Graph {
    finished(function).expect("a sound program")
}

fn finished(function: impl FnOnce(Tensor) -> Vec<Tensor>) -> Result<Graph, TraceError> {
    let trace = TraceScope::begin("test");
    let x = trace.parameter("x", &Spec::f32([("n", 3)]), true);
    let results = function(x);
    let names = (0..).map(|i| format!("y{i}"));
    trace.finish(names.zip(results).collect())
}

fn loops(x: Tensor) -> Vec<Tensor> {
    let (y, _) = while_loop(
        (x, Tensor::scalar(0, DType::I32)),
        |(_, i): (Tensor, Tensor)| i.lt(3),
        |(y, i): (Tensor, Tensor)| (cond(i.gt(1), || y + x, || y.abs()), i + 1),
    );
    vec![y.exp().reuse(x), y]
}

#[test]
fn a_graph_replayed_is_the_same_graph() {
    let from = graph(loops);
    let to = graph(|x| {
        let results = from.replay(&[x]);
        assert!(results.iter().all(|result| !result.is_poisoned()));
        results
    });
    assert_eq!(from.to_string(), to.to_string());
    assert_eq!(from.structure_hash(), to.structure_hash());
    assert_eq!(to.results()[0].reuses, Some(0));
    let text = format!("{to:#}");
    assert!(text.contains("replay.rs"), "the lines are those of the function: {text}");
}

#[test]
fn nodes_in_bodies_are_replaced_by_control_flow() {
    fn clipped(replay: &mut Replay<'_>, node: NodeId) -> Option<Vec<Tensor>> {
        let from = replay.from();
        let Op::Unary(Unary::Abs) = from.node(node).op else {
            return None;
        };
        let x = replay.get(from.operands(node)[0])?;
        Some(vec![cond(x.sum(..).gt(0), || x, || -x)])
    }
    let to = graph(loops).transform(&mut clipped).expect("it fits");
    let text = to.to_string();
    assert!(!text.contains("abs") && text.matches(" = case").count() == 2, "{text}");
}

#[test]
fn what_does_not_fit_is_an_error_of_the_trace() {
    let from = graph(|x| vec![x.abs()]);
    let narrow = &mut |replay: &mut Replay<'_>, _: NodeId| {
        let x = replay.get(replay.from().root().parameters[0])?;
        Some(vec![x.convert(DType::BF16)])
    };
    let error = from.transform(narrow).expect_err("another type").to_string();
    assert!(error.contains("abs: a result, f32[n=3], was replaced by bf16[n=3]"), "{error}");
    let error = finished(|x| from.replay(&[x.sum(..)])).expect_err("another shape").to_string();
    assert!(error.contains("`test` takes [f32[n=3]], not [f32[]]"), "{error}");
    let error = finished(|_| from.replay(&[])).expect_err("no argument").to_string();
    assert!(error.contains("`test` takes [f32[n=3]], not []"), "{error}");
    // Without an open trace nothing can be recorded.
    assert!(from.replay(&[Tensor::zeros(DType::F32, [3])])[0].is_poisoned());
}

#[test]
fn other_names_of_axes_are_taken_for_those_of_the_graph() {
    let from = graph(|x| vec![x.sum("n"), x + x.reshape([("n", 3)])]);
    let to = finished(|x| from.replay(&[x.rename("n", "m")])).expect("it fits");
    assert_eq!(to.shape(to.root().results[1]).to_string(), "f32[n=3]");
}

#[test]
fn ops_are_recorded_by_hand() {
    let traced = graph(|x| vec![(x + x).abs()]);
    let by_hand = graph(|x| record(Unary::Abs, &record(Binary::Add, &[x, x])));
    assert_eq!(traced.to_string(), by_hand.to_string());
    let looped = graph(|x| {
        let shapes = [Shape::new(DType::F32, [("n", 3)]).expect("a shape")];
        let decide = record_region("while", &shapes, RegionKind::Open, |carried| {
            vec![carried[0].sum(..).lt(9)]
        });
        let double = record_region("while", &shapes, RegionKind::Open, |carried| {
            vec![carried[0] + carried[0]]
        });
        let (cond, body) = decide.zip(double).expect("sound bodies");
        record(While { cond, body }, &[x])
    });
    let method = graph(|x| vec![while_loop(x, |x: Tensor| x.sum(..).lt(9), |x: Tensor| x + x)]);
    assert_eq!(looped.to_string(), method.to_string());
}

#[test]
fn ops_that_do_not_fit_are_errors_with_the_callers_line() {
    let error = finished(|x| record(Binary::Add, &[x])).expect_err("one operand").to_string();
    assert!(
        error.contains("add: takes 2 operands, not 1") && error.contains("replay.rs"),
        "{error}"
    );
    let other = graph(loops);
    let foreign = other.nodes().find_map(|(_, node)| match &node.op {
        Op::While(repeat) => Some(*repeat),
        _ => None,
    });
    let foreign = foreign.expect("there is a loop");
    let error = finished(|x| record(foreign, &[x, Tensor::scalar(0, DType::I32)]));
    let error = error.expect_err("regions of another graph").to_string();
    assert!(error.contains("a region was not traced where the op is recorded"), "{error}");
    let branches = vec![foreign.body];
    assert!(finished(|x| record(Case { branches }, &[x])).is_err());
    let call = graph(|x| {
        vec![
            custom_call("acme", x, Spec::of(x.shape()))
                .host_call("f", std::sync::Arc::new(()), None)
                .call(),
        ]
    });
    let node = call.nodes().find(|(_, node)| node.op.host_slot().is_some()).expect("a call").1;
    let error =
        finished(|x| record(node.op.clone(), &[x])).expect_err("no such function").to_string();
    assert!(error.contains("there is no function of the host in slot 0"), "{error}");
    // The call is replayed with its function, which the graph carries.
    let replayed = finished(|x| call.replay(&[x])).expect("the function comes along");
    assert_eq!(replayed.host_calls().len(), 1);
}
