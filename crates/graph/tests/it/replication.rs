//! Results of `manual` that are declared the same on devices where they may differ.

use crate::traced::traced;
use hloom_graph::*;

fn whole() -> PartitionSpec {
    PartitionSpec::replicated()
}

fn split() -> PartitionSpec {
    PartitionSpec::shard("a", "data").and("b", "model")
}

/// The error of a body on parts of a matrix over `data` and `model`, and on a whole vector.
fn error_of(joined: PartitionSpec, body: impl FnOnce(Tensor, Tensor) -> Tensor) -> Option<String> {
    let mesh = MeshShape::new([("data", 2), ("model", 3), ("single", 1)]).unwrap();
    let specs = [Spec::f32([("a", 4), ("b", 6)]), Spec::f32([("c", 5)])];
    let scope = TraceScope::begin_over("test", mesh);
    let graph = traced(scope, specs, |[x, y]| {
        manual((x, y), (split(), whole()), joined, |(x, y)| body(x, y))
    });
    graph.err().map(|error| error.to_string())
}

type Body = (&'static str, fn(Tensor, Tensor) -> Tensor);

/// A number that is another one on each device along `data`.
fn own() -> Tensor {
    axis_index("data").convert(DType::F32)
}

#[test]
fn a_result_that_may_differ_is_refused() {
    let bodies: [Body; 16] = [
        ("part", |x, _| x.sum(..)),
        ("with a whole one", |x, y| y + x.sum(..)),
        ("axis_index", |_, y| y + own()),
        ("another reduction", |x, _| x.sum(..).all_reduce(Reduction::Sum, "model") * own()),
        ("reduce_scatter", |_, y| {
            concatenate(&[y, y], "c").reduce_scatter(Reduction::Sum, "c", "data")
        }),
        ("all_to_all", |_, y| concatenate(&[y, y], "c").all_to_all("c", "c", "data")),
        ("collective_permute", |_, y| y.collective_permute("data", [(0, 1)])),
        ("for_loop", |x, y| {
            for_loop(2, y, |_, sum| sum + x.sum(..).all_reduce(Reduction::Sum, "model"))
        }),
        ("after some steps", |_, y| for_loop(3, (y, y, y), |_, (_, b, c)| (b, c, c + own())).0),
        ("while_loop", |_, y| while_loop(y, |_| own().gt(0.5), |y| y + 1)),
        ("scan", |x, y| {
            scan(y, x.all_gather("b", "model"), "a", |sum, row| (sum + row.sum(..), row)).0
        }),
        ("stacked by scan", |x, y| {
            scan(y, x.all_gather("b", "model"), "a", |sum, row| (sum, row.sum(..))).1
        }),
        ("cond by an index", |_, y| cond(own().gt(0.5), || y, || y * 2)),
        ("a branch", |x, y| {
            cond(y.sum(..).gt(0.0), || y, || y + x.sum(..).all_reduce(Reduction::Max, "model"))
        }),
        ("composite", |x, y| {
            let x = x.sum(..).all_reduce(Reduction::Sum, "model");
            composite("add", 1, Attributes::new(), [y, x], |all| all[0] + all[1])
        }),
        ("sort_by", |_, y| sort_by((y, y * own()), "c", |a, b| a.0.lt(b.0)).0),
    ];
    for (name, body) in bodies {
        let error = error_of(whole(), body).unwrap_or_else(|| panic!("{name} is accepted"));
        let expected = "manual: result 0 may differ along the mesh axis `data`, which its partition \
                        does not name: `all_reduce` or `all_gather` over `data`";
        assert!(error.starts_with(expected), "{name}: {error}");
    }
}

#[test]
fn a_result_that_is_the_same_is_accepted() {
    let bodies: [Body; 10] = [
        ("whole", |_, y| y * 2),
        ("constant", |_, _| Tensor::ones(DType::F32, [2])),
        ("reduced", |x, y| y + x.sum(..).all_reduce(Reduction::Sum, ["data", "model"])),
        ("one after the other", |x, _| {
            x.all_gather("b", "model").sum("b").all_reduce(Reduction::Max, "data")
        }),
        ("gathered", |x, _| x.all_gather("a", "data").all_gather("b", "model")),
        ("broadcast", |_, y| (y + own()).collective_broadcast(0, "data")),
        ("a single device", |_, y| y + axis_index("single").convert(DType::F32)),
        ("reduced in a loop", |x, y| {
            for_loop(3, y, |_, sum| sum + x.sum(..).all_reduce(Reduction::Sum, ["data", "model"]))
        }),
        ("scan of parts", |x, y| {
            let step = |sum: Tensor, row: Tensor| {
                (sum + row.sum(..).all_reduce(Reduction::Sum, ["data", "model"]), row)
            };
            scan(y, x, "a", step).0
        }),
        ("another value of a loop", |_, y| for_loop(3, (y, y), |_, (a, b)| (a + 1, b + own())).0),
    ];
    for (name, body) in bodies {
        assert_eq!(error_of(whole(), body), None, "{name}");
    }
}

#[test]
fn the_axes_that_a_partition_names_may_differ() {
    let sums = |x: Tensor, _| x.all_gather("b", "model").sum("b");
    assert_eq!(error_of(PartitionSpec::shard("a", "data"), sums), None);
    assert_eq!(error_of(split(), |x, _| x.exp()), None);
    let error = error_of(PartitionSpec::shard("a", "data"), |x, _| x.exp()).expect("refused");
    assert!(error.contains("along the mesh axis `model`"), "{error}");
}

#[test]
fn the_check_can_be_left_out() {
    let mesh = MeshShape::new([("data", 2), ("model", 3)]).unwrap();
    let x = Spec::f32([("a", 4), ("b", 6)]);
    let graph = traced(TraceScope::begin_over("test", mesh), [x], |[x]| {
        manual_unchecked(x, split(), whole(), |x| x.sum(..))
    });
    assert_eq!(
        graph.map(|graph| graph.shape(graph.root().results[0]).to_string()).unwrap(),
        "f32[]"
    );
}

/// Each loop begins with values that are the same, and ends with others.
fn nested(depth: usize, y: Tensor) -> Tensor {
    for_loop(2, y.zeros_like(), |_, sum| match depth {
        0 => sum + own(),
        depth => sum + nested(depth - 1, y),
    })
}

#[test]
fn loops_within_each_other_are_checked_in_time() {
    let found = error_of(whole(), |_, y| nested(48, y)).expect("it is refused");
    assert!(found.contains("result 0 may differ along the mesh axis `data`"), "{found}");
    let same = |_: Tensor, y: Tensor| nested(48, y).all_reduce(Reduction::Sum, "data");
    assert_eq!(error_of(whole(), same), None);
}
