//! Tracing as a user sees it: shapes, names, errors and the text form.

use crate::traced::traced;
use hloom_graph::*;

/// Traces a function of the given arguments.
fn graph<const N: usize>(
    specs: [Spec; N],
    f: impl FnOnce([Tensor; N]) -> Tensor,
) -> Result<Graph, TraceError> {
    traced(TraceScope::begin("test"), specs, f)
}

/// The shape of the result, or the error.
fn shape<const N: usize>(specs: [Spec; N], f: impl FnOnce([Tensor; N]) -> Tensor) -> String {
    match graph(specs, f) {
        Ok(graph) => graph.shape(graph.root().results[0]).to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn elementwise_aligns_by_name_and_else_from_the_right() {
    let named = [Spec::f32([("batch", 32), ("in", 7)]), Spec::f32([("in", 7)])];
    assert_eq!(shape(named.clone(), |[a, b]| a + b), "f32[batch=32, in=7]");
    assert_eq!(shape(named, |[a, b]| b * a), "f32[batch=32, in=7]");
    let swapped = [Spec::f32([("a", 3), ("b", 4)]), Spec::f32([("b", 4), ("a", 3)])];
    assert_eq!(shape(swapped, |[a, b]| a + b), "f32[a=3, b=4]");
    assert_eq!(shape([Spec::f32([2, 1, 4]), Spec::f32([3, 1])], |[a, b]| a + b), "f32[2, 3, 4]");
    assert_eq!(shape([Spec::f32([("a", 3)]), Spec::f32([2, 3])], |[a, b]| a + b), "f32[2, a=3]");
    assert_eq!(shape([Spec::f32([("a", 3)])], |[a]| (2.0 * a - 1).exp()), "f32[a=3]");
}

#[test]
fn dot_batches_over_shared_names() {
    let q = Spec::f32([("batch", 2), ("q", 5), ("head", 4), ("dim", 8)]);
    let k = Spec::f32([("batch", 2), ("k", 7), ("head", 4), ("dim", 8)]);
    assert_eq!(shape([q, k], |[q, k]| q.dot(k, "dim")), "f32[batch=2, head=4, q=5, k=7]");
}

#[test]
fn an_error_names_op_operands_and_line() {
    let x = Spec::f32([("batch", 32), ("in", 784)]);
    let w = Spec::f32([("in", 512), ("out", 128)]);
    let line = line!() + 1;
    let error = graph([x, w], |[x, w]| x.dot(w, "in").relu().sum("nope")).unwrap_err();
    let expected = format!(
        "dot: axis `in` has size 784 on the left and 512 on the right\n  left:  f32[batch=32, \
         in=784]   (x0)\n  right: f32[in=512, out=128]   (x1)\n  at {}:{line}:",
        file!()
    );
    assert!(error.to_string().starts_with(&expected), "{error}");
    assert_eq!(error.following, 0);
}

#[test]
fn a_wrong_index_is_an_error_of_index() {
    let error = graph([Spec::f32([3])], |[x]| x.index(0, 7)).unwrap_err();
    assert!(error.to_string().starts_with("index: "), "{error}");
    let error = graph([Spec::f32([3])], |[x]| x.slice(0, 2..7)).unwrap_err();
    assert!(error.to_string().starts_with("slice: "), "{error}");
    let error = graph([Spec::f32([3])], |[x]| x.top_k(4, 0).0).unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("top_k: the 4 largest of an axis of 3 elements"), "{message}");
}

#[test]
fn later_errors_are_counted() {
    let error = graph([Spec::f32([3])], |[x]| {
        let a = x.sum(1);
        let b = x.sum(2);
        a + b + x.sum(3)
    });
    assert_eq!(error.unwrap_err().following, 2);
}

#[test]
fn a_tensor_of_another_trace_is_an_error_that_names_both() {
    let trace = TraceScope::begin("first");
    let kept = trace.parameter("x", &Spec::f32([3]), false);
    drop(trace);
    let error = graph([Spec::f32([3])], |[x]| x + kept).unwrap_err();
    assert!(
        error.message.contains("`first`, which has ended") && error.message.contains("`test`"),
        "{error}"
    );
    assert!(kept.relu().is_poisoned());
}

#[test]
fn the_same_work_is_one_node() {
    let graph = graph([Spec::f32([3])], |[x]| (x + 1.0).exp() * (x + 1.0).exp()).unwrap();
    insta::assert_snapshot!(graph, @r"
    test {
      %0 = argument `x0` : f32[3]
      %1 = splat 1.0 : f32[3]
      %2 = add %0, %1 : f32[3]
      %3 = exp %2 : f32[3]
      %4 = mul %3, %3 : f32[3]
      return %4
    }
    ");
}

#[test]
fn numbers_take_the_tensors_type_or_are_errors() {
    assert_eq!(shape([Spec::new(DType::U8, [2])], |[x]| x + 255), "u8[2]");
    assert!(
        shape([Spec::new(DType::U8, [2])], |[x]| x + 256).contains("256 is not a value of type u8")
    );
    assert!(shape([Spec::i32([2])], |[x]| x * 0.5).contains("0.5 is not a value of type i32"));
    assert_eq!(shape([Spec::new(DType::F8E4M3FN, [2])], |[x]| x * 0.5), "f8e4m3fn[2]");
}

#[test]
fn scan_stacks_and_carries() {
    let graph = graph([Spec::f32([("time", 5), ("d", 3)])], |[x]| {
        let zero = Tensor::zeros(DType::F32, [("d", 3)]);
        let (last, (a, b)) = scan(zero, x, "time", |carry, x| (carry + x, (carry * x, x.sum("d"))));
        a + b + last
    });
    insta::assert_snapshot!(graph.unwrap());
}

#[test]
fn a_scan_may_stack_nothing() {
    let polynomial = |xs: Spec| {
        graph([xs, Spec::f32([0; 0])], |[xs, x]| {
            let (value, ()) = scan(x * 0.0, xs, "degree", |sum, c| (sum * x + c, ()));
            value
        })
    };
    let text = polynomial(Spec::f32([("degree", 3)])).unwrap().to_string();
    assert_eq!(text.matches("scan").count(), 1, "{text}");
    // No elements: what is carried stays.
    let text = polynomial(Spec::f32([("degree", 0)])).unwrap().to_string();
    assert_eq!(text.matches("scan").count(), 0, "{text}");
}

#[test]
fn a_body_may_not_leak_its_tensors() {
    let error = graph([Spec::f32([3])], |[x]| {
        let mut leaked = x;
        for_loop(3, x, |_, x| {
            leaked = x + 1;
            leaked
        }) + leaked
    });
    assert!(error.unwrap_err().message.contains("inside the body"));
}

#[test]
fn a_body_keeps_what_it_carries() {
    let error = graph([Spec::f32([3])], |[x]| for_loop(3, x, |_, x| x.sum(0))).unwrap_err();
    assert!(
        error.message.contains("is given f32[3]") && error.message.contains("returns f32[]"),
        "{error}"
    );
}

#[test]
fn shapes_of_the_reshaping_family() {
    let x = || [Spec::f32([("batch", 2), ("seq", 6), ("d", 8)])];
    assert_eq!(
        shape(x(), |[x]| x.unflatten("d", [("head", 2), ("dim", 4)])),
        "f32[batch=2, seq=6, head=2, dim=4]"
    );
    assert_eq!(shape(x(), |[x]| x.merge(["batch", "seq"], "rows")), "f32[rows=12, d=8]");
    assert_eq!(shape(x(), |[x]| x.transpose(["d", "batch", "seq"])), "f32[d=8, batch=2, seq=6]");
    assert_eq!(
        shape(x(), |[x]| x.slice("seq", 1..).slice("seq", ..-1)),
        "f32[batch=2, seq=4, d=8]"
    );
    assert_eq!(shape(x(), |[x]| x.index("seq", -1)), "f32[batch=2, d=8]");
    assert_eq!(shape(x(), |[x]| x.pad("seq", 1, -2, 0.0)), "f32[batch=2, seq=5, d=8]");
    assert_eq!(shape(x(), |[x]| concatenate(&[x, x], "seq")), "f32[batch=2, seq=12, d=8]");
    assert_eq!(shape(x(), |[x]| stack(&[x, x], "copy")), "f32[copy=2, batch=2, seq=6, d=8]");
    assert_eq!(shape(x(), |[x]| x.mean(["batch", "seq"])), "f32[d=8]");
    assert_eq!(shape(x(), |[x]| x.max_keep("seq")), "f32[batch=2, seq=1, d=8]");
    assert_eq!(shape(x(), |[x]| x.sum(..)), "f32[]");
    assert_eq!(shape(x(), |[x]| x.argmax("d")), "i32[batch=2, seq=6]");
    assert_eq!(shape(x(), |[x]| x.softmax("d")), "f32[batch=2, seq=6, d=8]");
}

#[test]
fn take_replaces_the_axis_and_goes_in_step_over_shared_names() {
    let table = Spec::f32([("vocab", 100), ("d", 8)]);
    let ids = Spec::i32([("batch", 2), ("seq", 6)]);
    assert_eq!(
        shape([table, ids.clone()], |[t, i]| t.take(i, "vocab")),
        "f32[batch=2, seq=6, d=8]"
    );
    let per_batch = Spec::f32([("d", 8), ("batch", 2), ("vocab", 100)]);
    assert_eq!(shape([per_batch, ids], |[t, i]| t.take(i, "vocab")), "f32[batch=2, seq=6, d=8]");
}

#[test]
fn the_structure_hash_leaves_names_and_lines_out() {
    let hash = |n: f64, name: &str| {
        graph([Spec::f32([(name, 3)])], |[x]| x * n + 1.0).unwrap().structure_hash()
    };
    assert_eq!(hash(2.0, "a"), hash(2.0, "b"));
    assert_ne!(hash(2.0, "a"), hash(3.0, "a"));
}

#[test]
fn donated_memory_is_reused_by_name() {
    let trace = TraceScope::begin("step");
    let cache = trace.parameter("cache", &Spec::f32([8]), true);
    let borrowed = trace.parameter("x", &Spec::f32([8]), false);
    let next = (cache + borrowed).reuse(cache);
    let graph = trace.finish(vec![("".into(), next)]).unwrap();
    assert_eq!(graph.results()[0].reuses, Some(0));
    let trace = TraceScope::begin("step");
    let borrowed = trace.parameter("x", &Spec::f32([8]), false);
    let error = trace.finish(vec![("".into(), (borrowed + 1).reuse(borrowed))]).unwrap_err();
    assert!(error.message.contains("`x` is borrowed"), "{error}");
}
