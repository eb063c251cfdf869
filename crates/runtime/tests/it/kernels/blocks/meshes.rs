//! Weights of blocks over several devices.

use super::format::{KINDS, Weight, activations, near, product};
use hloom_graph::{PartitionSpec, Reduction, Spec, Tensor, manual};
use hloom_runtime::{BlockLinearKernel, Buffer, Kernels, Mesh};
use hloom_test_support::cpus;

const K: usize = 128;
const N: usize = 12;

#[test]
fn products_in_manual_computations_use_kernels() {
    let mesh = Mesh::new(&cpus(2), [("model", 2)]).unwrap();
    let outputs = |x: Tensor, w: Tensor| {
        let parts = (PartitionSpec::replicated(), PartitionSpec::shard("out", "model"));
        manual((x, w), parts, PartitionSpec::shard("out", "model"), |(x, w)| x.dot(w, "in"))
    };
    let inputs = |x: Tensor, w: Tensor| {
        let parts = PartitionSpec::shard("in", "model");
        manual((x, w), (parts, parts), PartitionSpec::replicated(), |(x, w)| {
            x.dot(w, "in").all_reduce(Reduction::Sum, "model")
        })
    };
    for kind in KINDS {
        let (weight, x) = (Weight::new(kind, &[N, K]), activations(3 * K));
        let expected = product(&x, &weight.values(), K);
        for (axis, most, kernels) in [
            ("out", 1e-6, Kernels::off()),
            ("in", 1e-6, Kernels::off()),
            ("out", 1e-6, Kernels::off().with(BlockLinearKernel::with_float_activations())),
            ("in", 5e-2, Kernels::default()),
        ] {
            let row = Spec::f32([("row", 3), ("in", K)]);
            let row = if axis == "in" { row.shard("in", "model") } else { row };
            let spec = weight.spec(["out", "in"]).shard(axis, "model");
            let (specs, has_kernels) = ((row.clone(), spec.clone()), most > 1e-3);
            let compiler = mesh.compiler().kernels(kernels);
            let exe = if axis == "out" {
                compiler.compile(outputs, specs)
            } else {
                compiler.compile(inputs, specs)
            };
            let exe = exe.unwrap();
            assert!(!has_kernels || exe.kernels().len() == 1, "{:?}", exe.kernels());
            let w = weight.buffer_on(&mesh.sharding(&spec).unwrap());
            let x = Buffer::from_slice(&mesh.sharding(&row).unwrap(), &x, [3, K]).unwrap();
            let y: Buffer = exe.call((&x, &w)).unwrap();
            near(&y.to_vec::<f32>().unwrap(), &expected, most, &format!("{kind}, {axis}"));
        }
    }
}

#[test]
fn the_partitioner_splits_products_along_rows() {
    let mesh = Mesh::new(&cpus(2), [("model", 2)]).unwrap();
    // The last device has a row of padding.
    let (weight, x) = (Weight::new(KINDS[0], &[N + 1, K]), activations(K));
    let part = PartitionSpec::shard("out", "model").padded();
    let spec = weight.spec(["out", "in"]).partitioned(part);
    let row = Spec::f32([("row", 1), ("in", K)]);
    let exe = mesh.compile(|x: Tensor, w: Tensor| x.dot(w, "in"), (row.clone(), spec.clone()));
    let w = weight.buffer_on(&mesh.sharding(&spec).unwrap());
    let buffer = Buffer::from_slice(&mesh.sharding(&row).unwrap(), &x, [1, K]).unwrap();
    let y: Buffer = exe.unwrap().call((&buffer, &w)).unwrap();
    near(&y.to_vec::<f32>().unwrap(), &product(&x, &weight.values(), K), 1e-6, "partitioned");
}
