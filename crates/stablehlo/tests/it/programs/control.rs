//! Control flow, calls, and whole programs.

use super::{Mistake, traced};
use hloom_graph::{
    Attributes, DType, Effect, Graph, Spec, Tensor, TraceScope, case, composite, cond, custom_call,
    for_loop, optimization_barrier, scan, while_loop,
};

pub fn mlp() -> Graph {
    let trace = TraceScope::begin("mlp");
    let hidden = trace.parameter("fc1.weight", &Spec::f32([("hidden", 128), ("in", 784)]), false);
    let bias = trace.parameter("fc1.bias", &Spec::f32([("hidden", 128)]), false);
    let out = trace.parameter("fc2.weight", &Spec::f32([("out", 10), ("hidden", 128)]), false);
    let x = trace.parameter("x", &Spec::f32([("batch", 32), ("in", 784)]), false);
    let y = (x.dot(hidden, "in") + bias).relu().dot(out, "hidden").softmax("out");
    trace.finish(vec![("probabilities".into(), y)]).expect("the program's shapes fit")
}

pub fn loops() -> Graph {
    traced("while", &[Spec::f32([4]), Spec::f32([4])], |x| {
        let (start, step) = (x[0], x[1]);
        let count = Tensor::scalar(0, DType::I32);
        let (count, total) = while_loop(
            (count, start),
            |(count, total)| count.lt(10) & total.max(0).lt(step.max(0)),
            |(count, total)| (count + 1, total + step),
        );
        vec![count, total]
    })
}

pub fn branches() -> Graph {
    traced("case", &[Spec::f32([4]), Spec::i32([0; 0])], |x| {
        let (x, which) = (x[0], x[1]);
        let picked = case(
            which,
            || x,
            [Box::new(|| x + x) as Box<dyn FnOnce() -> Tensor>, Box::new(|| x * x)],
        );
        let inner = cond(which.gt(0), || cond(which.gt(1), || x.exp(), || x.sin()), || x.cos());
        vec![picked, inner]
    })
}

pub fn cache() -> Graph {
    let trace = TraceScope::begin("cache");
    let cache = trace.parameter("cache.key", &Spec::f32([("seq", 8), ("head", 4)]), true);
    let spare = trace.parameter("spare", &Spec::f32([4]), true);
    let new = trace.parameter("new", &Spec::f32([("seq", 1), ("head", 4)]), false);
    let at = trace.parameter("at", &Spec::scalar(DType::I32), false);
    let next = cache.dynamic_update_slice(new, "seq", at).reuse(cache);
    let results = vec![("sum".into(), next.sum("seq") + spare), ("cache.key".into(), next)];
    trace.finish(results).expect("the program's shapes fit")
}

pub fn calls() -> Graph {
    traced("custom_call", &[Spec::f32([2, 3]), Spec::i32([0; 0])], |x| {
        let one = custom_call("acme.one", x[0], Spec::f32([2, 3])).alias(0, 0);
        let one = one.attribute("bool", true).attribute("int", -7i8).attribute("max", u64::MAX);
        let one = one.frontend_attribute("acme.text", "a \"word\"").call();
        let nested = Attributes::new()
            .with("text", "a \"word\"")
            .with("deeper", Attributes::new().with("nan", f32::NAN));
        let (a, b) =
            custom_call("acme.two", (one, x[1]), (Spec::f32([2, 3]), Spec::bf16([4, 1, 2])))
                .alias(0, 0)
                .attribute("i64s", [1i64, i64::MIN])
                .attribute("f64s", [0.5f64, -0.0])
                .attribute("u8s", [7u8; 3])
                .attribute("none", [0i32; 0])
                .attribute("nested", nested)
                .effect(Effect::Unordered)
                .call();
        vec![a, b, custom_call("acme.old", x[1], Spec::i32([0; 0])).opaque(3, "raw").call()]
    })
}

pub fn order() -> Graph {
    traced("order", &[Spec::f32([2])], |x| {
        let step =
            |x: Tensor| custom_call("acme.step", x, Spec::f32([2])).effect(Effect::Ordered).call();
        let notify = |x: Tensor| {
            custom_call("acme.notify", x, Vec::<Spec>::new()).effect(Effect::Ordered).call();
        };
        let first = step(x[0]);
        let looped = for_loop(3, first, |_, x| cond(x.sum(0).gt(0), || step(x), || x));
        let (_, checked) = while_loop(
            (Tensor::scalar(0, DType::I32), looped),
            |(i, x)| {
                notify(x);
                i.lt(2)
            },
            |(i, x)| (i + 1, x * 2),
        );
        let unordered = for_loop(2, checked, |_, x| x + 1);
        notify(unordered);
        vec![unordered]
    })
}

pub fn scanned() -> Graph {
    let specs =
        [Spec::f32([("seq", 4), ("d", 2)]), Spec::f32([("d", 2)]), Spec::new(DType::I4, [3, 4])];
    traced("scan", &specs, |x| {
        let (end, (sums, narrow)) =
            scan(x[1], (x[0], x[2].named(["_", "seq"])), "seq", |sum, (row, narrow)| {
                let next = sum + row;
                (next, (next.sum(..), narrow))
            });
        vec![end, sums, narrow]
    })
}

pub fn composites() -> Graph {
    let normal = |x: Tensor| {
        composite("acme.normal", 1, Attributes::new().with("epsilon", 1e-5), x, |x| {
            x / (x.sum_keep(..) + 1e-5)
        })
    };
    traced("composite", &[Spec::f32([2, 3]), Spec::f32([2, 3])], |x| {
        let (a, b) = (normal(x[0]), normal(x[1]));
        let outer =
            composite("acme.twice", 2, Attributes::new(), (a, b), |(a, b)| (normal(normal(a)), b));
        vec![normal(x[0]) + outer.0, outer.1]
    })
}

pub fn barrier() -> Graph {
    traced("optimization_barrier", &[Spec::f32([4]), Spec::f32([4])], |x| {
        let (a, b) = optimization_barrier((x[0], x[1]));
        vec![a, b]
    })
}

pub fn counted() -> Graph {
    traced("for_loop", &[Spec::f32([4])], |x| {
        vec![for_loop(3, x[0], |i, x| x + i.convert(DType::F32))]
    })
}

/// A wrong call of each op.
pub const MISTAKES: &[Mistake] = &[
    ("while", |a| while_loop(a.x, |x| x.lt(1), |x| x + 1)),
    ("for_loop", |a| for_loop(3, a.x, |_, x| x.sum("row"))),
    ("scan", |a| scan(a.x, a.w, "row", |sum, w| (sum, w)).1),
    ("case", |a| case(a.x, || a.x, [Box::new(|| a.x + a.x) as Box<dyn FnOnce() -> Tensor>])),
    ("custom_call", |a| custom_call("acme.step", a.x, Spec::f32([2])).alias(0, 0).call()),
    ("composite", |a| composite("acme.sum", 1, Attributes::new(), a.x, |x| x + a.x)),
];
