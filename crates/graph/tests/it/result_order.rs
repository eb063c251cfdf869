//! The order of a result's axes: the rule of the guide's page on named axes, for each kind of op.

use crate::traced::traced;
use hloom_graph::*;

/// `x` is `[a, b, c]`, `t` the same as `[c, b, a]`, `m` is `[c, a]`, `v` is `[b]`, `ids` is `[k]`.
#[derive(Clone, Copy)]
struct OrderedTensors {
    x: Tensor,
    t: Tensor,
    m: Tensor,
    v: Tensor,
    ids: Tensor,
}

/// The names of the result's axes.
fn order(program: impl FnOnce(OrderedTensors) -> Tensor) -> String {
    let specs = [
        Spec::f32([("a", 4), ("b", 4), ("c", 4)]),
        Spec::f32([("c", 4), ("a", 4)]),
        Spec::f32([("b", 4)]),
        Spec::i32([("k", 4)]),
    ];
    let graph = traced(TraceScope::begin("test"), specs, |[x, m, v, ids]| {
        program(OrderedTensors { x, t: x.transpose(["c", "b", "a"]), m, v, ids })
    });
    let graph = graph.unwrap_or_else(|error| panic!("{error}"));
    let shape = graph.shape(graph.root().results[0]);
    let names = shape.names().iter().map(|name| name.map_or("_", |name| name.as_str()));
    names.collect::<Vec<_>>().join(" ")
}

type Row = (&'static str, &'static str, fn(OrderedTensors) -> Tensor);

fn check(rows: &[Row]) {
    for (name, expected, program) in rows {
        assert_eq!(order(program), *expected, "{name}");
    }
}

/// The order of the first operand that has all axes.
#[test]
fn elementwise_results_have_the_order_of_the_first_operand_with_all_axes() {
    check(&[
        ("x + m", "a b c", |g| g.x + g.m),
        ("m + x", "a b c", |g| g.m + g.x),
        ("x + t", "a b c", |g| g.x + g.t),
        ("t + x", "c b a", |g| g.t + g.x),
        ("v * x", "a b c", |g| g.v * g.x),
        ("v - t", "c b a", |g| g.v - g.t),
        ("compare", "a b c", |g| g.m.lt(g.x)),
        ("maximum", "c b a", |g| g.m.maximum(g.t)),
        ("pow", "c b a", |g| g.v.pow(g.t)),
        ("atan2", "a b c", |g| g.m.atan2(g.x)),
        ("select by m", "a b c", |g| g.m.gt(0).select(g.x, g.t)),
        ("select by m, t first", "c b a", |g| g.m.gt(0).select(g.t, g.x)),
        ("select of a number", "a b c", |g| g.x.gt(0).select(g.x, 0)),
        ("select of m", "a b c", |g| g.x.gt(0).select(g.m, 0)),
        ("select by x of m", "a b c", |g| g.x.gt(0).select(g.m, g.t)),
        ("masked_fill", "a b c", |g| g.x.masked_fill(g.m.gt(0), 0)),
        ("masked_fill of t", "c b a", |g| g.t.masked_fill(g.x.gt(0), 0)),
        ("masked_fill of m", "a b c", |g| g.m.masked_fill(g.x.gt(0), 0)),
        ("clamp", "a b c", |g| g.x.clamp(0, 1)),
        ("clamp by t", "a b c", |g| g.x.clamp(g.t, g.t)),
        ("unary", "c b a", |g| g.t.exp()),
        ("convert", "c b a", |g| g.t.convert(DType::F64)),
    ]);
}

/// The order of the operand, without the axes that the op removes.
#[test]
fn axes_that_are_not_removed_keep_their_order() {
    check(&[
        ("sum", "c a", |g| g.t.sum("b")),
        ("sum_keep", "c b a", |g| g.t.sum_keep("b")),
        ("mean", "a c", |g| g.x.mean("b")),
        ("var", "c a", |g| g.t.var("b")),
        ("argmax", "c a", |g| g.t.argmax("b")),
        ("index", "c a", |g| g.t.index("b", 1)),
        ("softmax", "c b a", |g| g.t.softmax("a")),
        ("cumsum", "c b a", |g| g.t.cumsum("a")),
        ("sort", "c b a", |g| g.t.sort("a", false)),
        ("top_k", "c b a", |g| g.t.top_k(2, "b").0),
        ("reverse", "c b a", |g| g.t.reverse("b")),
        ("slice", "c b a", |g| g.t.slice("b", 1..3)),
        ("dynamic_slice", "c b a", |g| g.t.dynamic_slice("b", 1, 2)),
        ("pad", "c b a", |g| g.t.pad("b", 1, 1, 0)),
        ("max_pool", "c b a", |g| g.t.max_pool("b", 2)),
        ("fft", "c b a", |g| g.t.fft("b")),
        ("concatenate", "c b a", |g| concatenate(&[g.t, g.t], "b")),
        ("repeat", "c b a", |g| g.t.repeat("b", 2)),
        ("tile", "c b a", |g| g.t.tile("b", 2)),
        ("roll", "c b a", |g| g.t.roll("b", 1)),
        ("reduce_by", "c a", |g| reduce_by(g.t, Tensor::scalar(0, DType::F32), "b", |x, y| x + y)),
        ("sort_by", "c b a", |g| sort_by(g.t, "b", |x, y| x.lt(y))),
        ("associative_scan", "c b a", |g| associative_scan(g.t, "b", |x, y| x + y)),
        ("composite", "c b a", |g| composite("id", 1, Attributes::new(), [g.t], |x| x[0].exp())),
        ("optimization_barrier", "c b a", |g| optimization_barrier(g.t)),
        ("for_loop", "c b a", |g| for_loop(2, g.t, |_, t| t * 2)),
        ("while_loop", "c b a", |g| while_loop(g.t, |t| t.sum(..).lt(1), |t| t * 2)),
        ("cond", "c b a", |g| cond(g.x.sum(..).lt(1), || g.t, || g.t * 2)),
        ("carried by scan", "c a", |g| scan(g.t.index("b", 0), g.t, "b", |s, t| (s + t, t)).0),
        ("set", "c b a", |g| g.t.at("b", 0).set(g.m)),
        ("add at", "c b a", |g| g.t.at("b", g.ids).add(1)),
        ("grad", "c b a", |g| grad(g.t, |t| (t * g.x).sum(..))),
    ]);
}

/// Axes of both sides first, then the others of the left side, then those of the right side.
#[test]
fn shared_axes_come_first_then_those_of_the_left_and_the_right_side() {
    check(&[
        ("dot", "a b", |g| g.x.dot(g.m, "c")),
        ("dot, left in another order", "a b", |g| g.t.dot(g.m, "c")),
        ("dot, right with more", "a b", |g| g.m.dot(g.x, "c")),
        ("dot over one axis", "c a", |g| g.t.dot(g.v, "b")),
        ("outer", "b k", |g| outer(g.v, g.ids.convert(DType::F32), |v, k| v + k)),
        ("take", "c k a", |g| g.t.take(g.ids, "b")),
        ("take by shared ids", "a c b", |g| {
            g.t.transpose(["b", "c", "a"])
                .take(g.m.named(["a", "d"]).convert(DType::I32), "c")
                .rename("d", "c")
        }),
    ]);
}

/// New axes come first, unless the op takes their place.
#[test]
fn new_axes_come_first() {
    check(&[
        ("scan stacks", "b c a", |g| scan(g.v.sum(..), g.t, "b", |s, t| (s, t)).1),
        ("map", "b c a", |g| map(g.t, "b", |t| t * 2)),
        ("stack", "n c b a", |g| stack(&[g.t, g.t], "n")),
        ("insert_axis", "c n b a", |g| g.t.insert_axis(1, "n")),
        ("one_hot is last", "k n", |g| g.ids.one_hot("n", 3, DType::F32)),
    ]);
}
