//! Small programs that together contain every op.

use half::bf16;
use hloom_graph::{
    Attributes, DType, DotOptions, Effect, Graph, MeshShape, PartitionSpec, Precision, RandomState,
    Reduction, Spec, Tensor, TraceScope, axis_index, case, composite, concatenate, cond,
    custom_call, for_loop, manual, optimization_barrier, reduce_by, scan, sort_by, sort_together,
    while_loop,
};

/// Name and graph of every program.
pub fn all() -> Vec<(&'static str, Graph)> {
    vec![
        ("mlp", mlp()),
        ("constants", constants()),
        ("unary", unary()),
        ("bits", bits()),
        ("complex", complex()),
        ("binary", binary()),
        ("compare", compare()),
        ("reshape", reshape()),
        ("slice", slice()),
        ("dot", dot()),
        ("reduce", reduce()),
        ("cumulative", cumulative()),
        ("index", index()),
        ("sort", sort()),
        ("random", random()),
        ("loops", loops()),
        ("branches", branches()),
        ("cache", cache()),
        ("calls", calls()),
        ("order", order()),
        ("scan", scanned()),
        ("bodies", bodies()),
        ("composites", composites()),
        ("sharding", sharding()),
    ]
}

/// A trace with arguments named by their index.
fn traced(name: &str, specs: &[Spec], function: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> Graph {
    let trace = TraceScope::begin(name);
    let arguments: Vec<Tensor> = (specs.iter().enumerate())
        .map(|(i, spec)| trace.parameter(i.to_string(), spec, false))
        .collect();
    let results = function(&arguments).into_iter().enumerate();
    let results = results.map(|(i, tensor)| (i.to_string(), tensor)).collect();
    trace.finish(results).expect("the program's shapes fit")
}

fn mlp() -> Graph {
    let trace = TraceScope::begin("mlp");
    let hidden = trace.parameter("fc1.weight", &Spec::f32([("hidden", 128), ("in", 784)]), false);
    let bias = trace.parameter("fc1.bias", &Spec::f32([("hidden", 128)]), false);
    let out = trace.parameter("fc2.weight", &Spec::f32([("out", 10), ("hidden", 128)]), false);
    let x = trace.parameter("x", &Spec::f32([("batch", 32), ("in", 784)]), false);
    let y = (x.dot(hidden, "in") + bias).relu().dot(out, "hidden").softmax("out");
    trace.finish(vec![("probabilities".into(), y)]).expect("the program's shapes fit")
}

fn constants() -> Graph {
    traced("constants", &[], |_| {
        vec![
            Tensor::constant(&[1.5f32, -2.0, f32::NAN, f32::INFINITY], [2, 2]),
            Tensor::constant(&[true, false, true], [3]),
            Tensor::constant(&[u64::MAX, 0], [2]),
            Tensor::constant(&[bf16::ONE], [1]),
            Tensor::constant(&[num_complex::Complex::new(1f32, -1.0); 2], [2]),
            Tensor::constant(&[0i32; 0], [0, 3]),
            Tensor::full(-1, DType::I4, [5]),
            Tensor::full(0.5, DType::F8E4M3FN, [5]),
            Tensor::scalar(true, DType::Bool),
            Tensor::full(7, DType::U8, [0]),
            Tensor::iota(DType::I32, [2, 3], 1),
        ]
    })
}

fn unary() -> Graph {
    traced("unary", &[Spec::f32([4])], |x| {
        let x = x[0];
        vec![
            x.abs(),
            -x,
            x.sign(),
            x.exp(),
            x.exp_m1(),
            x.log(),
            x.log1p(),
            x.sqrt(),
            x.rsqrt(),
            x.cbrt(),
            x.sin(),
            x.cos(),
            x.tan(),
            x.tanh(),
            x.sigmoid(),
            x.erf(),
            x.floor(),
            x.ceil(),
            x.round(),
            x.round_even(),
            x.is_finite(),
            x.convert(DType::BF16),
            x.bitcast(DType::U32),
        ]
    })
}

fn bits() -> Graph {
    traced("bits", &[Spec::u32([4]), Spec::bool([4])], |x| {
        let (x, truth) = (x[0], x[1]);
        vec![
            !x,
            !truth,
            x.count_leading_zeros(),
            x.population_count(),
            x & 6u32,
            x | 1u32,
            truth ^ !truth,
            x.shift_left(2),
            x.shift_right_arithmetic(2),
            x.shift_right_logical(2),
        ]
    })
}

fn complex() -> Graph {
    traced("complex", &[Spec::f64([2]), Spec::f64([2])], |x| {
        let z = x[0].complex(x[1]);
        vec![z * z, z.real(), z.imag(), z.abs(), z.sum(0), z.prod(0)]
    })
}

fn binary() -> Graph {
    traced("binary", &[Spec::f32([("n", 4), ("m", 3)]), Spec::f32([("m", 3)])], |x| {
        let (x, y) = (x[0], x[1]);
        vec![
            x + y,
            x - y,
            x * 2.0,
            1.0 / x,
            x % y,
            x.pow(y),
            x.maximum(y),
            x.minimum(0),
            x.atan2(y),
            x.next_after(y),
        ]
    })
}

fn compare() -> Graph {
    let specs = [Spec::f32([4]), Spec::i32([4]), Spec::u8([4]), Spec::bool([4])];
    traced("compare", &specs, |x| {
        let (x, i, u, truth) = (x[0], x[1], x[2], x[3]);
        vec![
            x.eq(0.0),
            x.ne(x),
            i.lt(3),
            i.le(3),
            u.gt(3),
            truth.ge(false),
            truth.select(x, -1.0),
            x.clamp(0.0, 1.0),
        ]
    })
}

fn reshape() -> Graph {
    traced("reshape", &[Spec::f32([("a", 2), ("b", 3)])], |x| {
        let x = x[0];
        vec![
            x.merge(["a", "b"], "c"),
            x.transpose(["b", "a"]),
            x.reverse("b"),
            x.broadcast_to([("z", 4), ("a", 2), ("b", 3)]),
            x.rename("a", "row"),
        ]
    })
}

fn slice() -> Graph {
    traced("slice", &[Spec::i32([5, 4])], |x| {
        let x = x[0];
        vec![
            x.slice_step(0, 1.., 2),
            x.pad_interior(1, -1, 2, 1, 9),
            concatenate(&[x, x.slice(0, ..1)], 0),
        ]
    })
}

fn dot() -> Graph {
    let specs = [
        Spec::bf16([("b", 2), ("i", 3), ("k", 4)]),
        Spec::bf16([("b", 2), ("k", 4), ("j", 5)]),
        Spec::u8([4]),
    ];
    traced("dot", &specs, |x| {
        let options = DotOptions { precision: Precision::Highest, accumulate: Some(DType::F32) };
        let accumulate = |dtype| DotOptions { accumulate: Some(dtype), ..DotOptions::default() };
        let none: &[(i32, i32)] = &[];
        vec![
            x[0].dot(x[1], "k"),
            x[0].dot_with(x[1], "k", options),
            x[2].dot_general(x[2], &[(0, 0)], none, accumulate(DType::I32)),
            x[0].dot_with(x[1], "k", accumulate(DType::F8E5M2)),
            x[2].dot_general(x[2], none, none, DotOptions::default()),
        ]
    })
}

fn reduce() -> Graph {
    traced("reduce", &[Spec::f32([2, 3]), Spec::i32([4]), Spec::bool([4]), Spec::bf16([4])], |x| {
        vec![
            x[0].sum([0, 1]),
            x[0].prod(1),
            x[0].max(0),
            x[0].min(0),
            x[1].max(0),
            x[1].min(0),
            x[2].any(0),
            x[2].all(0),
            x[3].sum(0),
            x[0].argmax(1),
            x[1].argmin(0),
        ]
    })
}

fn cumulative() -> Graph {
    traced("cumulative", &[Spec::f32([2, 3]), Spec::bf16([4]), Spec::f32([0, 2])], |x| {
        vec![x[0].cumsum(1), x[0].cummax(0), x[1].cumprod(0), x[2].cumsum(0)]
    })
}

fn index() -> Graph {
    let specs = [
        Spec::f32([("row", 8), ("width", 4)]),
        Spec::i32([("n", 3)]),
        Spec::i32([0; 0]),
        Spec::f32([1, 4]),
    ];
    traced("index", &specs, |x| {
        let (table, rows, at, update) = (x[0], x[1], x[2], x[3]);
        vec![
            table.dynamic_slice("row", at, 2),
            table.dynamic_update_slice(update, "row", at),
            table.take(rows, "row"),
            table.take_along_axis(
                Tensor::iota(DType::I32, [("row", 2), ("width", 4)], "row"),
                "row",
            ),
        ]
    })
}

fn sort() -> Graph {
    traced("sort", &[Spec::f32([4]), Spec::i32([4]), Spec::new(DType::I4, [4])], |x| {
        let both = sort_together(&[x[0], x[1]], 0, true);
        let (largest, at) = x[0].top_k(2, 0);
        vec![both[0], both[1], x[1].sort(0, false), x[2].sort(0, false), largest, at]
    })
}

fn random() -> Graph {
    traced("random", &[Spec::new(DType::U64, [2])], |x| {
        let (next, bits) = RandomState(x[0]).bits(DType::U32, [4]);
        vec![next.0, bits]
    })
}

fn loops() -> Graph {
    traced("loops", &[Spec::f32([4]), Spec::f32([4])], |x| {
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

fn branches() -> Graph {
    traced("branches", &[Spec::f32([4]), Spec::i32([0; 0])], |x| {
        let (x, which) = (x[0], x[1]);
        let picked = case(
            which,
            || x,
            [Box::new(|| x + x) as Box<dyn FnOnce() -> Tensor>, Box::new(|| x * x)],
        );
        let inner = cond(which.gt(0), || cond(which.gt(1), || x.exp(), || x.sin()), || x.cos());
        let (a, b) = optimization_barrier((picked, inner));
        vec![a, b]
    })
}

fn cache() -> Graph {
    let trace = TraceScope::begin("cache");
    let cache = trace.parameter("cache.key", &Spec::f32([("seq", 8), ("head", 4)]), true);
    let spare = trace.parameter("spare", &Spec::f32([4]), true);
    let new = trace.parameter("new", &Spec::f32([("seq", 1), ("head", 4)]), false);
    let at = trace.parameter("at", &Spec::scalar(DType::I32), false);
    let next = cache.dynamic_update_slice(new, "seq", at).reuse(cache);
    let results = vec![("sum".into(), next.sum("seq") + spare), ("cache.key".into(), next)];
    trace.finish(results).expect("the program's shapes fit")
}

fn calls() -> Graph {
    traced("calls", &[Spec::f32([2, 3]), Spec::i32([0; 0])], |x| {
        let one = custom_call("acme.one", x[0], Spec::f32([2, 3])).alias(0, 0);
        let one =
            one.attribute("bool", true).attribute("int", -7i8).attribute("max", u64::MAX).call();
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

fn order() -> Graph {
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

fn scanned() -> Graph {
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

fn bodies() -> Graph {
    traced("bodies", &[Spec::f32([2, 3]), Spec::new(DType::I32, [2, 3])], |x| {
        let start = (Tensor::scalar(0.0, DType::F32), Tensor::scalar(0, DType::I32));
        let (largest, at) = reduce_by((x[0], x[1]), start, 1, |a, b| {
            let first = a.0.gt(b.0);
            (first.select(a.0, b.0), first.select(a.1, b.1))
        });
        let (sorted, with) = sort_by((x[0], x[1]), -1, |a, b| a.0.abs().lt(b.0.abs()));
        vec![largest, at, sorted, with]
    })
}

fn composites() -> Graph {
    let normal = |x: Tensor| {
        composite("acme.normal", 1, Attributes::new().with("epsilon", 1e-5), x, |x| {
            x / (x.sum_keep(..) + 1e-5)
        })
    };
    traced("composites", &[Spec::f32([2, 3]), Spec::f32([2, 3])], |x| {
        let (a, b) = (normal(x[0]), normal(x[1]));
        let outer =
            composite("acme.twice", 2, Attributes::new(), (a, b), |(a, b)| (normal(normal(a)), b));
        vec![normal(x[0]) + outer.0, outer.1]
    })
}

/// Partitioned values, and every collective.
pub fn sharding() -> Graph {
    let mesh = MeshShape::new([("data", 2), ("model", 3)]).expect("the axes make a mesh");
    let trace = TraceScope::begin_over("sharding", mesh);
    let x = Spec::f32([("batch", 12), ("in", 6)]).shard("batch", ["model", "data"]).open("in");
    let x = trace.parameter("x", &x, true);
    let w = trace.parameter("w", &Spec::f32([("in", 6), ("out", 4)]), false);
    let split = (
        PartitionSpec::shard("batch", "data").and("in", "model"),
        PartitionSpec::shard("in", "model").and("out", "data"),
    );
    let joined = vec![
        PartitionSpec::shard("batch", "data"),
        PartitionSpec::shard("in", "model").and("out", "data"),
        PartitionSpec::replicated(),
    ];
    let results = manual((x, w), split, joined, |(x, w)| {
        let whole = w.all_gather("out", "data");
        let sum = x.dot(whole, "in").all_reduce(Reduction::Sum, "model");
        let own = sum.reduce_scatter(Reduction::Max, "batch", "data").all_gather("batch", "data");
        let turned = w.all_to_all("in", "out", "data").all_to_all("out", "in", "data");
        let shifted = turned.collective_permute("model", [(0, 1), (1, 2)]);
        let first = shifted.collective_broadcast(1, ["data", "model"]);
        let index = axis_index(["model", "data"]);
        vec![own, first, index.convert(DType::F32).all_reduce(Reduction::Min, ["data", "model"])]
    });
    let y = results[0].exp().constrain(PartitionSpec::shard("batch", "model").open("out"));
    let results = [results[0], results[1], results[2], y];
    let results = results.into_iter().enumerate();
    let results = results.map(|(i, tensor)| (i.to_string(), tensor)).collect();
    trace.finish(results).expect("the program's shapes fit")
}
