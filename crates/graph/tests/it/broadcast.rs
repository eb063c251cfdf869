//! Operands that broadcast implicitly, operands that need `outer`, and the error messages.

use crate::traced::traced;
use hloom_graph::*;

/// The shape of the result, or the error without the line.
fn told<const N: usize>(specs: [Spec; N], f: impl FnOnce([Tensor; N]) -> Tensor) -> String {
    match traced(TraceScope::begin("test"), specs, f) {
        Ok(graph) => graph.shape(graph.root().results[0]).to_string(),
        Err(error) => {
            let text = error.to_string();
            text.split("\n  at ").next().expect("text has a start").to_owned()
        }
    }
}

#[test]
fn a_residual_connection_of_other_axes_is_an_error() {
    let x = Spec::f32([("batch", 3), ("in", 4)]);
    let w = Spec::f32([("out", 4), ("in", 4)]);
    let residual = |[x, w]: [Tensor; 2]| x + x.dot(w, "in");
    let text = told([x.clone(), w.clone()], residual);
    let expected = "add: `out` is only right, `in` only left; rename one, or write `outer(..)`\
        \n  left:  f32[batch=3, in=4]   (x0)\
        \n  right: f32[batch=3, out=4]   (dot of f32[batch=3, in=4] and f32[out=4, in=4], at ";
    assert!(text.starts_with(expected), "{text}");
    let renamed = |[x, w]: [Tensor; 2]| x + x.dot(w, "in").rename("out", "in");
    assert_eq!(told([x, w], renamed), "f32[batch=3, in=4]");
}

#[test]
fn one_operand_holds_every_axis_of_the_others() {
    let a = || Spec::f32([("a", 3)]);
    let b = || Spec::f32([("b", 4)]);
    let ab = || Spec::f32([("b", 4), ("a", 3)]);
    let is = |spec: Spec| Spec::new(DType::Bool, spec.shape().axes());
    assert_eq!(told([a(), ab()], |[a, ab]| a * ab), "f32[b=4, a=3]");
    assert_eq!(told([ab(), a()], |[ab, a]| ab.maximum(a)), "f32[b=4, a=3]");
    assert_eq!(told([Spec::f32([0; 0]), a()], |[one, a]| one - a), "f32[a=3]");
    assert_eq!(told([Spec::f32([("a", 1)]), a()], |[one, a]| one - a), "f32[a=3]");
    // The condition may be the operand with all axes, or any other.
    assert_eq!(told([is(ab()), a(), b()], |[c, x, y]| c.select(x, y)), "f32[b=4, a=3]");
    assert_eq!(told([is(a()), b(), ab()], |[c, x, y]| c.select(x, y)), "f32[a=3, b=4]");
    assert_eq!(told([a(), ab(), b()], |[low, x, high]| x.clamp(low, high)), "f32[b=4, a=3]");
    assert!(
        told([a(), b()], |[a, b]| a.lt(b))
            .starts_with("lt: `b` is only right, `a` only left; rename one, or write `outer(..)`")
    );
    assert!(told([is(a()), b(), b()], |[c, x, y]| c.select(x, y)).starts_with(
        "select: operand 0 lacks `b`, operand 1 lacks `a`, operand 2 lacks `a`; rename one, or \
         write `outer(..)`"
    ));
    let three = [a(), b(), Spec::f32([("c", 1)])];
    assert!(told(three, |[low, x, high]| x.clamp(low, high)).starts_with(
        "clamp: operand 0 lacks `b`, `c`, operand 1 lacks `a`, `c`, operand 2 lacks `a`, `b`"
    ));
    // Axes of size 1 have names too.
    assert!(told([Spec::f32([("b", 1)]), a()], |[b, a]| b + a).starts_with("add: `a` is only"));
}

#[test]
fn unnamed_axes_broadcast_as_in_numpy() {
    assert_eq!(told([Spec::f32([3, 1]), Spec::f32([4])], |[x, y]| x + y), "f32[3, 4]");
    assert_eq!(told([Spec::f32([("a", 3)]), Spec::f32([2, 3])], |[x, y]| x + y), "f32[2, a=3]");
}

#[test]
fn outer_has_the_axes_of_both() {
    let a = || Spec::f32([("a", 3)]);
    let multiply = |[x, y]: [Tensor; 2]| outer(x, y, |x, y| x * y);
    assert_eq!(told([a(), Spec::f32([("b", 4)])], multiply), "f32[a=3, b=4]");
    assert_eq!(told([a(), a()], multiply), "f32[a=3]");
    assert_eq!(
        told([Spec::f32([("a", 3), ("b", 4)]), Spec::f32([("b", 4), ("c", 5)])], multiply),
        "f32[a=3, b=4, c=5]"
    );
    assert_eq!(told([a(), Spec::f32([0; 0])], multiply), "f32[a=3]");
    assert_eq!(told([Spec::f32([2, 3]), Spec::f32([3, 0])], multiply), "f32[2, 3, 3, 0]");
    assert_eq!(told([a(), Spec::f32([2])], multiply), "f32[a=3, 2]");
    assert_eq!(
        told([a(), Spec::f32([("a", 4)])], multiply),
        "outer: axis `a` has size 3 on the left and 4 on the right\n  left:  f32[a=3]   (x0)\n  \
         right: f32[a=4]   (x1)"
    );
    let part = Spec::f32([("a", 3), ("_", 2)]);
    assert!(told([a(), part], multiply).starts_with("outer: duplicate axis `a`"));
}

#[test]
fn functions_made_of_ops_report_their_own_name() {
    let x = || [Spec::f32([("batch", 2)])];
    let softmax = told(x(), |[x]| x.softmax("vocab"));
    assert_eq!(
        softmax,
        "softmax: there is no axis `vocab` in f32[batch=2] (in max)\n  operand: f32[batch=2]   (x0)"
    );
    let line = line!() + 1;
    let f = |[x]: [Tensor; 1]| x.softmax(0);
    let error = traced(TraceScope::begin("test"), [Spec::new(DType::C64, [2])], f).unwrap_err();
    assert_eq!(
        (error.op, error.location.file(), error.location.line()),
        ("softmax", file!(), line)
    );
    for (name, text) in [
        ("log_softmax", told(x(), |[x]| x.log_softmax("vocab"))),
        ("var", told(x(), |[x]| x.var("vocab"))),
        ("log_sum_exp", told(x(), |[x]| x.log_sum_exp("vocab"))),
        ("silu", told([Spec::i32([2])], |[x]| x.silu())),
        ("stack", told([Spec::f32([2]), Spec::f32([3])], |[x, y]| stack(&[x, y], "n"))),
    ] {
        assert!(text.starts_with(&format!("{name}: ")) && text.contains(" (in "), "{text}");
    }
    // `gelu` checks its own operand.
    let gelu = told([Spec::i32([2])], |[x]| x.gelu());
    assert!(gelu.starts_with("gelu: takes") && !gelu.contains(" (in "), "{gelu}");
}

#[test]
fn scopes_nest_and_end() {
    #[track_caller]
    fn inner(x: Tensor) -> Tensor {
        function_scope("inner", || x.sum("nope"))
    }
    #[track_caller]
    fn layer(x: Tensor) -> Tensor {
        function_scope("layer", || inner(x))
    }
    let line = line!() + 1;
    let text = traced(TraceScope::begin("test"), [Spec::f32([2])], |[x]| layer(x)).unwrap_err();
    assert_eq!((text.op, text.within.as_slice()), ("layer", &["inner", "sum"][..]));
    assert_eq!((text.location.file(), text.location.line()), (file!(), line));
    assert!(
        text.to_string().starts_with("layer: there is no axis `nope` in f32[2] (in inner, sum)")
    );
    // A panic in a scope ends it.
    let caught = std::panic::catch_unwind(|| function_scope("panics", || panic!("on purpose")));
    assert!(caught.is_err());
    assert!(told([Spec::f32([2])], |[x]| x.sum("nope")).starts_with("sum: there is no axis"));
}

#[test]
fn errors_debug_as_they_display() {
    let error = traced(TraceScope::begin("test"), [Spec::f32([2])], |[x]| x.sum(7)).unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
    assert_eq!(format!("{:?}", ShapeError::EmptyName), ShapeError::EmptyName.to_string());
}
