//! Snapshots of the errors recorded while tracing wrong functions.

use crate::traced::traced;
use hloom_graph::*;

/// The message of an error, without line numbers.
fn message<const N: usize>(specs: [Spec; N], f: impl FnOnce([Tensor; N]) -> Tensor) -> String {
    let error = traced(TraceScope::begin("test"), specs, f).expect_err("a mistake").to_string();
    let lines = error.lines().map(|line| match line.split_once(concat!(file!(), ":")) {
        Some((before, _)) => format!("{before}{}:..", file!()),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn listed<const N: usize>(messages: [(&str, String); N]) -> String {
    messages.map(|(what, message)| format!("# {what}\n{message}\n")).join("\n")
}

#[test]
fn each_mistake_has_its_message() {
    let a = || Spec::f32([("a", 3)]);
    let b = || Spec::f32([("b", 4)]);
    let ab = || Spec::f32([("b", 4), ("a", 3)]);
    let c = || Spec::f32([("c", 1)]);
    let is = |spec: Spec| spec.with_dtype(DType::Bool);
    let weight = || Spec::f32([("out", 4), ("in", 4)]);
    let x = || Spec::f32([("batch", 3), ("in", 4)]);
    let all = listed([
        ("a residual of other axes", message([x(), weight()], |[x, w]| x + x.dot(w, "in"))),
        ("a comparison", message([a(), b()], |[a, b]| a.lt(b))),
        ("three operands", message([is(a()), b(), b()], |[c, x, y]| c.select(x, y))),
        ("bounds", message([a(), b(), c()], |[low, x, high]| x.clamp(low, high))),
        ("one axis more each", message([ab(), c()], |[ab, c]| ab + c)),
        ("sizes", message([a(), Spec::f32([("a", 4)])], |[x, y]| x + y)),
        ("unnamed sizes", message([Spec::f32([2]), Spec::f32([3])], |[x, y]| x * y)),
        ("element types", message([a(), Spec::i32([("a", 3)])], |[x, y]| x - y)),
        (
            "outer of one name",
            message([a(), Spec::f32([("a", 4)])], |[x, y]| outer(x, y, |x, y| x * y)),
        ),
        ("a dot of other axes", message([a(), b()], |[x, y]| x.dot(y, "in"))),
        (
            "a product that grew",
            message([weight(), Spec::f32([("n", 5), ("in", 4)]), a()], |[w, x, a]| {
                w.dot(x, "in") + a
            }),
        ),
        ("softmax", message([a()], |[x]| x.softmax("vocab"))),
        ("log_softmax", message([a()], |[x]| x.log_softmax("vocab"))),
        ("var", message([a()], |[x]| x.var("vocab"))),
        ("log_sum_exp", message([a()], |[x]| x.log_sum_exp("vocab"))),
        ("gelu", message([Spec::i32([2])], |[x]| x.gelu())),
        ("silu", message([Spec::i32([2])], |[x]| x.silu())),
        ("stack", message([Spec::f32([2]), Spec::f32([3])], |[x, y]| stack(&[x, y], "n"))),
        ("an operand too many", message([x(), x()], |[x, y]| einsum("bi->b", &[x, y]))),
        ("axes of an equation", message([x()], |[x]| einsum("bij->b", &[x]))),
        ("sizes of a label", message([x(), x()], |[x, y]| einsum("bi,ib->b", &[x, y]))),
        ("a label of the result", message([x()], |[x]| einsum("bi->bo", &[x]))),
        ("a result of one name", message([x(), x()], |[x, y]| einsum("bi,ci->bc", &[x, y]))),
        ("an equation", message([x()], |[x]| einsum("b*i->b", &[x]))),
        ("no ellipsis", message([x()], |[x]| einsum("...i->i", &[x]))),
        ("tensordot", message([x(), x()], |[x, y]| x.tensordot(y, 3))),
        (
            "ragged_dot",
            message([x(), Spec::f32([2, 5, 3]), Spec::i32([2])], |[x, w, sizes]| {
                x.ragged_dot(w, sizes, ("in", 1))
            }),
        ),
        (
            "associative_scan",
            message([x()], |[x]| associative_scan(x, "in", |a, b| a.dot(b, "in"))),
        ),
        ("cholesky", message([x()], |[x]| x.cholesky())),
        ("cholesky of bf16", message([Spec::bf16([3, 3])], |[x]| x.cholesky())),
        ("svd of a vector", message([a()], |[x]| x.svd().1)),
        ("lu of integers", message([Spec::i32([3, 3])], |[x]| x.lu().0)),
        ("det", message([x()], |[x]| x.det())),
        ("solve", message([Spec::f32([3, 3]), Spec::f32([4, 2])], |[a, b]| a.solve(b))),
        (
            "solve_triangular",
            message([Spec::f32([3, 3]), Spec::f64([3, 2])], |[a, b]| a.solve_triangular(b, true)),
        ),
        (
            "triangular_solve",
            message([Spec::f32([2, 3, 3]), Spec::f32([3, 2])], |[a, b]| {
                a.triangular_solve(b, TriangularSolve::lower())
            }),
        ),
        ("fft", message([Spec::f16([("time", 8)])], |[x]| x.fft("time"))),
        ("fft along an axis", message([a()], |[x]| x.fft("time"))),
        ("rfft", message([Spec::new(DType::C64, [8])], |[x]| x.rfft(0))),
        ("irfft", message([Spec::new(DType::C64, [("time", 5)])], |[x]| x.irfft("time", 10))),
        ("fft of nothing", message([Spec::f32([("time", 0)])], |[x]| x.fft("time"))),
        ("two mistakes", message([a()], |[x]| x.sum("b") + x.sum("c"))),
    ]);
    insta::assert_snapshot!(all);
}

#[test]
fn each_tree_that_does_not_fit_has_its_message() {
    let spec = || Spec::f32([2]);
    let keep = &mut |_: &Path<'_>, a: Spec, _: Spec| a;
    let fewer = vec![spec(), spec()].zip_map(vec![spec()], keep).unwrap_err().to_string();
    let more = vec![spec()].zip_map(vec![spec(), spec()], keep).unwrap_err().to_string();
    let folded = vec![Some(spec()), None]
        .zip_fold(&vec![None, Some(spec())], 0, |n, _, _, _: &Spec| n + 1)
        .unwrap_err()
        .to_string();
    let all = listed([
        ("a second tree with less", fewer),
        ("a second tree with more", more),
        ("other places", folded),
    ]);
    insta::assert_snapshot!(all);
}
