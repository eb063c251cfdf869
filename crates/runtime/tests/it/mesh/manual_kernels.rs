//! Platform kernels inside of manual computations, whose shapes are one device's.

use super::mesh;
use crate::kernels::near::{Sizes, assert_near, attended};
use hloom_graph::{
    DType, DotOptions, PartitionSpec, Reduction, Spec, Tensor, cond, for_loop, manual,
};
use hloom_runtime::{Buffer, Donated, KernelUse, Kernels, LinearKernel, Mesh};
use hloom_stablehlo::Partitioner;

const BOTH: [Partitioner; 2] = [Partitioner::Shardy, Partitioner::Gspmd];
const N: usize = 96;
const K: usize = 128;

fn product(x: Tensor, w: Tensor, dtype: DType) -> Tensor {
    let options = DotOptions { accumulate: Some(DType::F32), ..DotOptions::default() };
    x.convert(dtype).dot_with(w.convert(dtype), "in", options)
}

/// Eighths below 2: they are exact in `bf16`, and so are the sums of their products in `f32`.
fn values(count: usize, by: usize) -> Vec<f32> {
    (0..count).map(|i| (i * by % 31) as f32 / 8.0 - 2.0).collect()
}

fn rows_of_products(x: &[f32], w: &[f32]) -> Vec<f32> {
    let product = |x: &[f32], w: &[f32]| x.iter().zip(w).map(|(x, w)| x * w).sum();
    x.chunks(K).flat_map(|x| w.chunks(K).map(move |w| product(x, w))).collect()
}

fn split(mesh: &Mesh, spec: &Spec, values: &[f32]) -> Buffer {
    Buffer::from_slice(&mesh.sharding(spec).unwrap(), values, spec.shape().axes()).unwrap()
}

fn uses(kernels: &[KernelUse]) -> Vec<(&str, usize)> {
    kernels.iter().map(|kernel| (kernel.name.as_str(), kernel.count)).collect()
}

#[test]
fn products_are_those_of_one_device() {
    let mesh = mesh([("model", 2)]);
    let kernels = || Kernels::off().with(LinearKernel::of_any_size());
    for partitioner in BOTH {
        for (dtype, rows) in [DType::BF16, DType::F32]
            .into_iter()
            .flat_map(|dtype| [1, 3, 8, 64].map(|rows| (dtype, rows)))
        {
            let specs =
                || (Spec::f32([("row", rows), ("in", K)]), Spec::f32([("out", N), ("in", K)]));
            let outputs = move |x: Tensor, w: Tensor| {
                let parts = (PartitionSpec::replicated(), PartitionSpec::shard("out", "model"));
                manual((x, w), parts, PartitionSpec::shard("out", "model"), |(x, w)| {
                    product(x, w, dtype)
                })
            };
            let inputs = move |x: Tensor, w: Tensor| {
                let parts = PartitionSpec::shard("in", "model");
                manual((x, w), (parts, parts), PartitionSpec::replicated(), |(x, w)| {
                    product(x, w, dtype).all_reduce(Reduction::Sum, "model")
                })
            };
            let (x, w) = (values(rows * K, 7), values(N * K, 5));
            let expected = rows_of_products(&x, &w);
            let (row, weight) = specs();
            let [by_outputs, by_inputs] = [
                ("outputs", row.clone(), weight.clone().shard("out", "model")),
                ("inputs", row.shard("in", "model"), weight.shard("in", "model")),
            ];
            for (what, row, weight) in [by_outputs, by_inputs] {
                let compiler = mesh.compiler().kernels(kernels()).partitioner(partitioner);
                let specs = (row.clone(), weight.clone());
                let exe = if what == "outputs" {
                    compiler.compile(outputs, specs)
                } else {
                    compiler.compile(inputs, specs)
                };
                let exe = exe.unwrap();
                let what = format!("{what}, {dtype}, {rows} rows, {partitioner:?}");
                assert_eq!(uses(exe.kernels()), [("hloom.linear.v1", 1)], "{what}");
                let (x, w) = (split(&mesh, &row, &x), split(&mesh, &weight, &w));
                for _ in 0..3 {
                    let y = exe.call((&x, &w)).unwrap();
                    assert_eq!(y.to_vec::<f32>().unwrap(), expected, "{what}");
                }
            }
        }
    }
}

/// E14: kernels compute one device's part of a program over several devices, by default.
#[test]
fn a_mesh_of_two_axes_and_one_of_one_device_have_kernels() {
    let specs = (Spec::bf16([("row", 2), ("in", K)]), Spec::bf16([("out", N), ("in", K)]));
    let by_hand = |x: Tensor, w: Tensor| {
        let parts = (PartitionSpec::replicated(), PartitionSpec::shard("out", "model"));
        manual((x, w), parts, PartitionSpec::shard("out", "model"), |(x, w)| x.dot(w, "in"))
    };
    let two_axes = mesh([("data", 2), ("model", 3)]);
    let exe = two_axes.compiler().kernels(Kernels::default()).compile(by_hand, specs.clone());
    assert_eq!(uses(exe.unwrap().kernels()), [("hloom.linear.v1", 1)]);
    let plain = |x: Tensor, w: Tensor| x.dot(w, "in");
    for (mesh, count) in [(mesh([("model", 1)]), 1), (mesh([("model", 2)]), 0)] {
        let exe = mesh.compiler().kernels(Kernels::default()).compile(plain, specs.clone());
        assert_eq!(exe.unwrap().kernels().len(), count);
    }
}

#[test]
fn products_with_inputs_of_a_manual_computation_are_one_call() {
    let mesh = mesh([("model", 2)]);
    let weight = || Spec::bf16([("out", 64), ("in", 32)]).shard("out", "model");
    let function = |x: Tensor, a: Tensor, b: Tensor| {
        let out = PartitionSpec::shard("out", "model");
        manual((x, a, b), (PartitionSpec::replicated(), out, out), out, |(x, a, b)| {
            x.dot(a, "in") * x.dot(b, "in")
        })
    };
    let specs = (Spec::bf16([("row", 2), ("in", 32)]), weight(), weight());
    let exe = mesh.compiler().kernels(Kernels::default()).compile(function, specs).unwrap();
    assert_eq!(uses(exe.kernels()), [("hloom.linear.v1", 2)]);
    let (_, text) = exe.any().optimized_program().unwrap();
    assert_eq!(String::from_utf8_lossy(&text).matches("hloom.linear.v1").count(), 1);
}

#[test]
fn products_in_loops_and_branches_of_a_manual_computation_are_found() {
    let mesh = mesh([("model", 2)]);
    let row = Spec::f32([("row", 4), ("in", 32)]).shard("row", "model");
    let weight = Spec::f32([("out", 32), ("in", 32)]);
    let function = |x: Tensor, w: Tensor| {
        let rows = PartitionSpec::shard("row", "model");
        manual((x, w), (rows, PartitionSpec::replicated()), rows, |(x, w)| {
            for_loop(2, x, |_, x| {
                let again = || product(x, w, DType::F32).rename("out", "in");
                cond(x.max(..).gt(0), again, || x)
            })
        })
    };
    // A permutation of the columns, twice; the rows of the second device stay.
    let order = |i: usize| (i * 5 + 3) % 32;
    let x: Vec<f32> = values(4 * 32, 7)
        .iter()
        .enumerate()
        .map(|(i, x)| if i < 64 { *x } else { -x.abs() })
        .collect();
    let w: Vec<f32> = (0..32 * 32).map(|i| f32::from(i % 32 == order(i / 32))).collect();
    let moved = |i: usize| if i < 64 { i / 32 * 32 + order(order(i % 32)) } else { i };
    let expected: Vec<f32> = (0..4 * 32).map(|i| x[moved(i)]).collect();
    for partitioner in BOTH {
        let compiler = mesh.compiler().kernels(Kernels::off().with(LinearKernel::of_any_size()));
        let compiler = compiler.partitioner(partitioner);
        let exe = compiler.compile(function, (row.clone(), weight.clone())).unwrap();
        assert_eq!(uses(exe.kernels()), [("hloom.linear.v1", 1)]);
        let inputs = (split(&mesh, &row, &x), split(&mesh, &weight, &w));
        let y = exe.call((&inputs.0, &inputs.1)).unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), expected, "{partitioner:?}");
    }
}

#[test]
fn attention_of_split_heads_is_that_of_all() {
    let mesh = mesh([("model", 2)]);
    let sizes = Sizes { seq: 3, kv_heads: 4, group: 2, positions: 24, dim: 16 };
    let cache =
        Spec::f32([("kv_head", 4), ("position", 24), ("dim", 16)]).shard("kv_head", "model");
    let query = Spec::f32([("seq", 3), ("kv_head", 4), ("group", 2), ("dim", 16)]);
    let query = query.shard("kv_head", "model");
    let counts = [query.shape(), cache.shape(), cache.shape()].map(|shape| shape.element_count());
    let inputs: Vec<Vec<f32>> =
        counts.iter().zip([3, 5, 11]).map(|(&n, by)| values(n, by)).collect();
    let sees = |token: usize, at: usize| at <= 9 + token;
    for dtype in [DType::F32, DType::BF16] {
        let function = move |q: Tensor, k: Tensor, v: Tensor| {
            let heads = PartitionSpec::shard("kv_head", "model");
            manual((q, k, v), (heads, heads, heads), heads, |(q, k, v)| {
                let [q, k, v] = [q, k, v].map(|x| x.convert(dtype));
                let mask = hloom_nn::causal_mask(Tensor::scalar(9, DType::I32), 3, 24, None);
                hloom_nn::attention(q, k, v, Some(mask), 0.25).convert(DType::F32)
            })
        };
        let specs = (query.clone(), cache.clone(), cache.clone());
        let exe = mesh.compiler().kernels(Kernels::default()).compile(function, specs).unwrap();
        assert_eq!(uses(exe.kernels()), [("hloom.attend.v1", 1)]);
        let q = split(&mesh, &query, &inputs[0]);
        let [k, v] = [1, 2].map(|i| split(&mesh, &cache, &inputs[i]));
        let found = exe.call((&q, &k, &v)).unwrap().to_vec::<f32>().unwrap();
        let [q, k, v] = [0, 1, 2].map(|i| inputs[i].as_slice());
        let expected = attended(sizes, [q, k, v], 0.25, sees, dtype);
        assert_near(&dtype.to_string(), &found, &expected);
    }
}

#[test]
fn a_donated_cache_is_updated_in_place_on_each_device() {
    let mesh = mesh([("model", 2)]);
    let cache = Spec::bf16([("kv_head", 4), ("position", 64), ("dim", 64)]);
    let cache = cache.shard("kv_head", "model");
    let block =
        Spec::bf16([("kv_head", 4), ("position", 1), ("dim", 64)]).shard("kv_head", "model");
    let function = |cache: Tensor, block: Tensor, start: Tensor| {
        let heads = PartitionSpec::shard("kv_head", "model");
        let parts = (heads, heads, PartitionSpec::replicated());
        let written = manual((cache, block, start), parts, heads, |(cache, block, start)| {
            cache.dynamic_update_slice(block, "position", start)
        });
        written.reuse(cache)
    };
    let specs = (Donated(cache.clone()), block.clone(), Spec::scalar(DType::I32));
    let exe = mesh.compiler().kernels(Kernels::default()).compile(function, specs).unwrap();
    assert_eq!(uses(exe.kernels()), [("hloom.update.v1", 1)]);
    assert_eq!(exe.any().unused_donations(), Some(vec![]));
    let temporaries = exe.any().memory().unwrap().temporaries;
    assert!(temporaries < 1024, "{temporaries} bytes: the array is copied");
    let ones = half::bf16::ONE;
    let block =
        Buffer::from_slice(&mesh.sharding(&block).unwrap(), &[ones; 4 * 64], block.shape().axes());
    let block = block.unwrap();
    let mut whole = Buffer::zeros(&mesh.sharding(&cache).unwrap(), cache.shape()).unwrap();
    let mut expected = vec![0f32; 4 * 64 * 64];
    for start in [0, 63, 17] {
        let at = Buffer::scalar(&mesh, start as i32).unwrap();
        whole = exe.call((whole, &block, &at)).unwrap();
        for head in 0..4 {
            expected[(head * 64 + start) * 64..][..64].fill(1.0);
        }
    }
    let found = whole.to_vec::<half::bf16>().unwrap();
    assert_eq!(found.iter().map(|x| x.to_f32()).collect::<Vec<_>>(), expected);
}

#[test]
fn factors_are_computed_on_each_device() {
    const SIDE: usize = 12;
    let mesh = mesh([("data", 2)]);
    let spec = Spec::f32([("batch", 4), ("row", SIDE), ("column", SIDE)]).shard("batch", "data");
    // Whole numbers, whose products and roots are exact.
    let factor = |batch: usize, i: usize, j: usize| match i.cmp(&j) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Greater => ((batch + i * 3 + j) % 4) as f32 - 1.0,
    };
    let places =
        || (0..4).flat_map(|b| (0..SIDE).flat_map(move |i| (0..SIDE).map(move |j| (b, i, j))));
    let matrices: Vec<f32> = places()
        .map(|(b, i, j)| (0..SIDE).map(|k| factor(b, i, k) * factor(b, j, k)).sum())
        .collect();
    let expected: Vec<f32> = places().map(|(b, i, j)| factor(b, i, j)).collect();
    let function = |x: Tensor| {
        let batch = PartitionSpec::shard("batch", "data");
        manual(x, batch, batch, |x: Tensor| x.cholesky())
    };
    let exe =
        mesh.compiler().kernels(Kernels::default()).compile(function, (spec.clone(),)).unwrap();
    assert_eq!(uses(exe.kernels()), [("hloom.linear_algebra.v1", 1)]);
    let found = exe.call((&split(&mesh, &spec, &matrices),)).unwrap();
    assert_eq!(found.to_vec::<f32>().unwrap(), expected);
}
