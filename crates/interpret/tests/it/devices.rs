use super::floats;
use hloom_graph::{
    DType, Graph, MeshShape, PartitionSpec, Reduction, Shape, Spec, Tensor, TraceScope, axis_index,
    cond, manual, while_loop,
};
use hloom_interpret::{Array, InterpretError, interpret};

/// The graph of a manual computation on parts of `x` along its first axis, over six devices.
fn over_devices(size: usize, body: impl FnOnce(Tensor) -> Tensor) -> Graph {
    let mesh = MeshShape::new([("row", 2usize), ("column", 3)]).expect("the mesh is small");
    let trace = TraceScope::begin_over("test", mesh);
    let x = trace.parameter("x", &Spec::f32([size]), false);
    let split = || PartitionSpec::shard(0, ["row", "column"]);
    let y = manual(x, split(), split(), body);
    trace.finish(vec![("y".into(), y)]).expect("the ops fit")
}

/// The result for 0, 1, 2..
fn result(size: usize, body: impl FnOnce(Tensor) -> Tensor) -> Result<Vec<f32>, InterpretError> {
    let x: Vec<f32> = (0..size).map(|i| i as f32).collect();
    let results = interpret(&over_devices(size, body), &[floats(&x)])?;
    Ok(results[0].to_vec().expect("it is f32"))
}

#[test]
fn collectives_exchange_values_within_groups() {
    let sum = result(6, |x| x.all_reduce(Reduction::Sum, "column")).expect("it is evaluated");
    assert_eq!(sum, [3.0, 3.0, 3.0, 12.0, 12.0, 12.0]);
    let max = result(6, |x| x.all_reduce(Reduction::Max, "row")).expect("it is evaluated");
    assert_eq!(max, [3.0, 4.0, 5.0, 3.0, 4.0, 5.0]);
    let sent = result(6, |x| x.collective_permute("column", [(0, 1), (1, 2)]));
    assert_eq!(sent.expect("it is evaluated"), [0.0, 0.0, 1.0, 0.0, 3.0, 4.0]);
    let from_last = result(6, |x| x.collective_broadcast(2, "column")).expect("it is evaluated");
    assert_eq!(from_last, [2.0, 2.0, 2.0, 5.0, 5.0, 5.0]);
    let gathered = result(6, |x| x.all_gather(0, "column").sum(0).reshape([1usize]));
    assert_eq!(gathered.expect("it is evaluated"), [3.0, 3.0, 3.0, 12.0, 12.0, 12.0]);
    let scattered = result(18, |x| x.reduce_scatter(Reduction::Sum, 0, "column"));
    assert_eq!(scattered.expect("it is evaluated"), [9.0, 12.0, 15.0, 36.0, 39.0, 42.0]);
    let exchanged = result(18, |x| x.all_to_all(0, 0, "column")).expect("it is evaluated");
    assert_eq!(exchanged[..9], [0.0, 3.0, 6.0, 1.0, 4.0, 7.0, 2.0, 5.0, 8.0]);
    let index = result(6, |x| axis_index(["row", "column"]).convert(DType::F32) + (x - x));
    assert_eq!(index.expect("it is evaluated"), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn devices_take_loops_and_branches_of_their_own() {
    let steps = result(6, |x| while_loop(x * 1, |x| x.sum(0).lt(4), |x| x + 3));
    assert_eq!(steps.expect("it is evaluated"), [6.0, 4.0, 5.0, 6.0, 4.0, 5.0]);
    let branch = result(6, |x| cond(x.sum(0).lt(3), || x + 10, || x * 10));
    assert_eq!(branch.expect("it is evaluated"), [10.0, 11.0, 12.0, 30.0, 40.0, 50.0]);
}

#[test]
fn a_collective_that_not_all_devices_reach_is_refused() {
    let error =
        result(6, |x| cond(x.sum(0).lt(1), || x.all_reduce(Reduction::Sum, "column"), || x * 2));
    assert!(matches!(error, Err(InterpretError::Divergent { op: "all_reduce", .. })), "{error:?}");
}

#[test]
fn outside_of_manual_bodies_a_program_is_one_for_all_devices() {
    let mesh = MeshShape::new([("d", 2usize)]).expect("the mesh is small");
    let trace = TraceScope::begin_over("test", mesh);
    let x = trace.parameter("x", &Spec::f32([("n", 4)]).shard("n", "d"), false);
    let y = (x + 1).constrain([("n", "d")]).sum("n");
    let graph = trace.finish(vec![("y".into(), y)]).expect("the ops fit");
    let results = interpret(&graph, &[floats(&[1.0, 2.0, 3.0, 4.0])]).expect("it is evaluated");
    let scalar = Array::new(Shape::scalar(DType::F32), &[14f32]).expect("it is f32");
    assert_eq!(results, [scalar]);
}
