//! Programs over a mesh.

use super::{Arguments, Mistake, OpProgram};
use hloom_graph::{
    DType, Graph, MeshShape, PartitionSpec, Reduction, Spec, Tensor, TraceScope, axis_index,
    manual, manual_unchecked,
};

/// A trace over a mesh of two by three devices.
fn over_mesh(name: &str, function: impl FnOnce(Tensor, Tensor) -> Vec<Tensor>) -> Graph {
    let mesh = MeshShape::new([("data", 2), ("model", 3)]).expect("the axes make a mesh");
    let trace = TraceScope::begin_over(name, mesh);
    let x = Spec::f32([("batch", 12), ("in", 6)]).shard("batch", ["model", "data"]).open("in");
    let x = trace.parameter("x", &x, true);
    let w = trace.parameter("w", &Spec::f32([("in", 6), ("out", 4)]), false);
    let results = function(x, w).into_iter().enumerate();
    let results = results.map(|(i, tensor)| (i.to_string(), tensor)).collect();
    trace.finish(results).expect("the program's shapes fit")
}

/// A function of the part of a device.
fn of_parts(name: &'static str, function: fn(Tensor) -> Tensor) -> OpProgram {
    let split = || PartitionSpec::shard("in", "model").and("out", "data");
    let graph = over_mesh(name, |_, w| vec![manual(w, split(), split(), function)]);
    (name, graph)
}

pub fn all() -> Vec<OpProgram> {
    vec![
        ("constrain", constrain()),
        ("manual", manual_parts()),
        of_parts("all_reduce", |w| w.all_reduce(Reduction::Sum, "model")),
        of_parts("all_gather", |w| w.all_gather("out", "data").slice("out", ..2)),
        of_parts("reduce_scatter", |w| {
            w.reduce_scatter(Reduction::Max, "out", "data").pad("out", 0, 1, 0)
        }),
        of_parts("all_to_all", |w| {
            w.all_to_all("in", "out", "data").all_to_all("out", "in", "data")
        }),
        of_parts("collective_permute", |w| w.collective_permute("model", [(0, 1), (1, 2)])),
        of_parts("collective_broadcast", |w| w.collective_broadcast(1, ["data", "model"])),
        of_parts("axis_index", |w| w + axis_index(["model", "data"]).convert(DType::F32)),
    ]
}

fn constrain() -> Graph {
    over_mesh("constrain", |x, w| {
        let y = x.dot(w, "in").constrain(PartitionSpec::shard("batch", "model").open("out"));
        vec![y, x.max("in")]
    })
}

fn manual_parts() -> Graph {
    over_mesh("manual", |x, w| {
        let split = (
            PartitionSpec::shard("batch", "data").and("in", "model"),
            PartitionSpec::shard("in", "model").and("out", "data"),
        );
        let joined = vec![PartitionSpec::shard("batch", "data"), PartitionSpec::replicated()];
        // The index is another one on each device.
        manual_unchecked((x, w), split, joined, |(x, w)| {
            let sum = x.dot(w.all_gather("out", "data"), "in").all_reduce(Reduction::Sum, "model");
            vec![sum, axis_index("data")]
        })
    })
}

/// A function of a device's part of an argument.
#[track_caller]
fn of_part(a: Arguments, f: fn(Tensor) -> Tensor) -> Tensor {
    let split = || PartitionSpec::shard("column", "data");
    manual(a.x, split(), split(), f)
}

/// A wrong call of each op.
pub const MISTAKES: &[Mistake] = &[
    ("constrain", |a| a.x.constrain(PartitionSpec::shard("row", "devices"))),
    ("manual", |a| {
        let split = || PartitionSpec::shard("row", "data");
        manual(a.x, split(), split(), |x| x)
    }),
    ("all_reduce", |a| a.x.all_reduce(Reduction::Sum, "data")),
    ("all_gather", |a| of_part(a, |x| x.all_gather("in", "data"))),
    ("reduce_scatter", |a| of_part(a, |x| x.reduce_scatter(Reduction::Sum, "row", "data"))),
    ("all_to_all", |a| of_part(a, |x| x.all_to_all("column", "row", "model"))),
    ("collective_permute", |a| of_part(a, |x| x.collective_permute("data", [(0, 2)]))),
    ("collective_broadcast", |a| of_part(a, |x| x.collective_broadcast(2, "data"))),
    ("axis_index", |_| axis_index("data")),
];
