//! Manual computations on a mesh of one device: its part of a tensor is the whole.

use super::mesh;
use hloom_graph::{
    DType, PartitionSpec, Reduction, Spec, Tensor, axis_index, axis_size, for_loop, manual,
};
use hloom_runtime::{Buffer, Mesh};
use hloom_stablehlo::Partitioner;

const BOTH: [Partitioner; 2] = [Partitioner::Shardy, Partitioner::Gspmd];

/// The results of a manual computation on the devices of a mesh, with each partitioner.
fn results(mesh: &Mesh, body: fn(Tensor) -> Tensor) -> [Vec<f32>; 2] {
    let spec = Spec::f32([("n", 4)]);
    let split = || PartitionSpec::shard("n", ["x", "y"]);
    BOTH.map(|partitioner| {
        let program = move |n: Tensor| manual(n, split(), split(), body);
        let compiler = mesh.compiler().partitioner(partitioner);
        let exe = compiler.compile(program, (spec.clone(),)).unwrap();
        let values = [1.0f32, -2.0, 0.5, 4.0];
        let n = Buffer::from_slice(&mesh.sharding(&spec).unwrap(), &values, [("n", 4)]).unwrap();
        exe.call((&n,)).unwrap().to_vec::<f32>().unwrap()
    })
}

#[test]
fn collectives_of_one_device_return_its_values() {
    let bodies: [fn(Tensor) -> Tensor; 8] = [
        |n| n.all_reduce(Reduction::Sum, "x"),
        |n| n.all_reduce(Reduction::Max, ["x", "y"]),
        |n| n.all_gather("n", "y"),
        |n| n.reduce_scatter(Reduction::Sum, "n", "x"),
        |n| n.all_to_all("n", "n", "x"),
        |n| n.collective_permute("x", [(0, 0)]),
        |n| n.collective_broadcast(0, "x"),
        |n| for_loop(2, n, |_, n| n.all_reduce(Reduction::Sum, "y")),
    ];
    for (i, body) in bodies.into_iter().enumerate() {
        assert_eq!(
            results(&mesh([("x", 1), ("y", 1)]), body),
            [[1.0, -2.0, 0.5, 4.0]; 2],
            "body {i}"
        );
    }
}

#[test]
fn a_device_that_receives_nothing_has_zeros() {
    for mesh in [mesh([("x", 1), ("y", 1)]), mesh([("x", 2), ("y", 1)])] {
        assert_eq!(results(&mesh, |n| n.collective_permute("x", [])), [[0.0; 4]; 2]);
    }
}

#[test]
fn the_only_device_has_index_0() {
    let doubled = |n: Tensor| {
        assert_eq!(axis_size("y"), 1);
        (n + axis_index(["x", "y"]).convert(DType::F32)) * 2.0
    };
    assert_eq!(results(&mesh([("x", 1), ("y", 1)]), doubled), [[2.0, -4.0, 1.0, 8.0]; 2]);
}
