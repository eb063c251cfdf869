//! Tensors whose axes are in another order than expected, where all sizes are equal: they are
//! refused, not relabelled.

use crate::traced::traced;
use hloom_graph::*;

fn square() -> Spec {
    Spec::f32([("row", 4), ("column", 4)])
}

/// The error of a function of a square, a number and the transposed square.
#[track_caller]
fn refused(f: impl FnOnce(Tensor, Tensor) -> Tensor) -> String {
    let error =
        traced(TraceScope::begin("test"), [square()], |[x]| f(x, x.transpose(["column", "row"])));
    error.map(|graph| graph.to_string()).expect_err("the axes are in another order").to_string()
}

type NamedFunction = (&'static str, fn(Tensor, Tensor) -> Tensor);

#[test]
fn permuted_axes_are_refused_wherever_a_tensor_takes_the_place_of_another() {
    let programs: [NamedFunction; 15] = [
        ("for_loop", |x, t| for_loop(3, x, |_, s| t + s * 0.9)),
        ("while_loop", |x, t| while_loop(x, |s| s.sum(..).lt(1.0), |s| t + s * 0.9)),
        ("scan", |x, t| scan(x, x, "row", |s, _| (t + s * 0.9, s)).0),
        ("cond", |x, t| cond(x.sum(..).gt(0.0), || x, || t)),
        ("case", |x, t| {
            case(
                Tensor::scalar(1, DType::I32),
                || x,
                [Box::new(move || t) as Box<dyn FnOnce() -> _>],
            )
        }),
        ("custom_vjp", |x, _| {
            let same = |x: Tensor| {
                custom_vjp(x, |x| (x.exp(), x), |_, g: Tensor| g.transpose(["column", "row"]))
            };
            grad(x, |x| same(x).sum(..))
        }),
        ("a cotangent", |x, t| vjp(x, |x| x.exp()).1.apply(t)),
        ("a tangent", |x, t| jvp(x, t, |x| x.exp()).1),
        ("replay", |_, t| {
            let exp = traced(TraceScope::begin("inner"), [square()], |[x]| x.exp());
            exp.expect("it is sound").replay(&[t])[0]
        }),
        ("sort_together", |x, t| sort_together(&[x, t], "row", false)[1]),
        ("sort_by", |x, t| sort_by((x, t), "row", |a, b| a.0.lt(b.0)).1),
        ("reduce_by", |x, t| {
            let zero = Tensor::scalar(0.0, DType::F32);
            reduce_by((x, t), (zero, zero), "row", |a, b| (a.0 + b.0, a.1 + b.1)).1
        }),
        ("associative_scan", |x, _| {
            // The first step combines two rows with two others.
            let sum = |a: Tensor, b: Tensor| (a + b).transpose(["column", "row"]);
            associative_scan(x.slice("column", ..2), "row", sum)
        }),
        ("partly named", |x, t| {
            // Its first axis has the name of the second one.
            for_loop(3, x, move |_, _| t.named(["column", "_"]))
        }),
        ("nested", |x, t| for_loop(2, x, |_, s| for_loop(2, s, |_, s| t * s))),
    ];
    for (name, program) in programs {
        let message = refused(program);
        assert!(message.contains("the axes are in another order"), "{name}: {message}");
        let hint = message.contains(r#"`transpose(["row", "column"])`"#)
            || message.contains(r#"`transpose(["column", "row"])`"#);
        assert_eq!(hint, name != "partly named", "{name}: {message}");
    }
}

#[test]
fn the_hint_is_what_is_expected() {
    let message = refused(|x, t| for_loop(3, x, |_, s| t + s * 0.9));
    assert!(
        message.contains(
            "the body is given f32[row=4, column=4] as tensor 0 and returns f32[column=4, row=4]; \
             the axes are in another order: `transpose([\"row\", \"column\"])`"
        ),
        "{message}"
    );
    let mended = traced(TraceScope::begin("test"), [square()], |[x]| {
        let t = x.transpose(["column", "row"]);
        for_loop(3, x, |_, s| (t + s * 0.9).transpose(["row", "column"]))
    });
    assert!(mended.is_ok(), "{mended:?}");
}

#[test]
fn other_names_and_none_take_the_expected_ones() {
    let kept = traced(TraceScope::begin("test"), [square()], |[x]| {
        let unnamed = for_loop(3, x, |_, s| s.named(["_", "_"]) * 2);
        for_loop(3, unnamed, |_, s| s.named(["row", "other"]) * 2)
    });
    assert!(kept.unwrap().to_string().contains("f32[row=4, column=4]"));
}
