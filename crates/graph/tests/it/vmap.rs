//! The graphs that `vmap` records, and the functions that it refuses.

use crate::printed::{error, text};
use hloom_graph::*;

fn point() -> Spec {
    Spec::f32([("point", 7), ("in", 3)])
}

#[test]
fn a_product_of_one_side_stays_one_product() {
    let graph = text([point(), Spec::f32([("out", 2), ("in", 3)])], |[x, w]| {
        vmap(x, "point", |x| w.dot(x, "in"))
    });
    assert_eq!(graph.matches("dot").count(), 1, "{graph}");
    assert!(graph.contains("f32[point=7, out=2]"), "{graph}");
}

#[test]
fn what_does_not_depend_on_the_elements_is_computed_once() {
    let graph = text([point(), Spec::f32([("in", 3)])], |[x, c]| vmap(x, "point", |x| x + c.exp()));
    assert!(graph.contains("exp(") || graph.contains("exp %"), "{graph}");
    let exp = graph.lines().find(|line| line.contains("exp")).expect("there is an exp");
    assert!(exp.contains("f32[in=3]"), "{graph}");
}

#[test]
fn a_result_without_the_axis_is_repeated() {
    let graph = text([point(), Spec::f32([("in", 3)])], |[x, c]| {
        let (_, same) = vmap(x, 0, |x| (x, c));
        same
    });
    assert!(graph.contains("f32[point=7, in=3]"), "{graph}");
}

#[test]
fn maps_nest() {
    let specs = [Spec::f32([("a", 4), ("in", 3)]), Spec::f32([("b", 5), ("in", 3)])];
    let graph = text(specs, |[a, b]| vmap(a, "a", |a| vmap(b, "b", |b| a.dot(b, "in"))));
    assert!(graph.contains("f32[a=4, b=5]"), "{graph}");
}

#[test]
fn a_loop_with_its_own_predicate_runs_once_for_all() {
    let graph = text([Spec::i32([("n", 6)])], |[n]| {
        vmap(n, "n", |n| while_loop(n, |n| n.gt(1), |n| n / 2))
    });
    assert_eq!(graph.matches("while").count(), 1, "{graph}");
    assert!(graph.contains("select"), "{graph}");
    let counted = text([Spec::f32([("n", 6)])], |[x]| {
        vmap(x, "n", |x| for_loop(4, x, |i, x| x * 2.0 + i.convert(DType::F32)))
    });
    assert!(!counted.contains("select"), "{counted}");
}

#[test]
fn mistakes_are_reported() {
    let x = point;
    assert_eq!(
        error([x()], |[x]| vmap(x, "batch", |x| x)),
        "vmap: there is no axis `batch` in f32[point=7, in=3]"
    );
    assert_eq!(
        error([x()], |[x]| vmap(x, "point", |x| x.sum("point"))),
        "sum: there is no axis `point` in f32[in=3]"
    );
    assert_eq!(
        error([x(), Spec::f32([("point", 6)])], |[x, y]| vmap((x, y), "point", |(x, y)| x * y)),
        "vmap: axis `point` has size 7 in f32[point=7, in=3] and another in f32[point=6]"
    );
    let escaped = error([x()], |[x]| {
        let mut kept = x;
        vmap(x, "point", |x| {
            kept = x;
            x
        });
        kept
    });
    assert!(
        escaped.contains("made inside the body of a control-flow op is used outside"),
        "{escaped}"
    );
    let twice = error([x()], |[x]| vmap(x, "point", |x| x.insert_axis(0, "point")));
    assert_eq!(twice, "vmap: duplicate axis `point` (in rename)");
    let wide =
        error([Spec::f32([1; 8])], |[x]| vmap(x, 0, |x| x.insert_axis(0, "_").insert_axis(0, "_")));
    assert!(wide.contains('9'), "{wide}");
}
