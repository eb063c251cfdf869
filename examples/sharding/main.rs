//! A small network on four devices, partitioned in four ways: by data, weights, sequence or layers.
//!
//! ```sh
//! cargo run --example sharding
//! ```
//!
//! Each way computes the same as one device, and prints the sharding of its tensors.

#[macro_use]
#[path = "../common/stdout.rs"]
mod stdout;

use hloom::{
    mesh::{axis_index, axis_size, manual},
    ops::Reduction,
    prelude::*,
};

const ROWS: usize = 8;
const SIZE: usize = 16;

/// Two layers without biases.
#[derive(Tree, Clone)]
struct Mlp<T = Tensor> {
    up: T,
    down: T,
}

impl Mlp {
    fn forward(self, x: Tensor) -> Tensor {
        let hidden = x.dot(self.up, "in").relu();
        hidden.dot(self.down, "hidden")
    }
}

fn specs() -> Mlp<Spec> {
    Mlp {
        up: Spec::f32([("in", SIZE), ("hidden", 4 * SIZE)]),
        down: Spec::f32([("hidden", 4 * SIZE), ("out", SIZE)]),
    }
}

fn input() -> Spec {
    Spec::f32([("row", ROWS), ("in", SIZE)])
}

/// Numbers that look like weights.
fn values(spec: &Spec) -> Vec<f32> {
    (0..spec.shape().element_count()).map(|i| ((i * 37 % 101) as f32 - 50.0) / 100.0).collect()
}

fn main() -> hloom::Result<()> {
    let platform = Platform::cpus(4)?;
    let expected = on_one_device(&platform)?;
    let mesh = Mesh::new(&platform, [("x", 4)])?;
    println!("{mesh}\n");

    // Data parallel: each device holds some of the rows, and all of the weights.
    compare("data parallel", &mesh, specs(), input().shard("row", "x"), &expected)?;

    // Tensor parallel: each device holds some of the hidden features; the compiler adds the partial
    // sums.
    let split =
        Mlp { up: specs().up.shard("hidden", "x"), down: specs().down.shard("hidden", "x") };
    compare("tensor parallel", &mesh, split.clone(), input(), &expected)?;

    // Both shardings at once, over a grid of devices.
    let grid = Mesh::new(&platform, [("data", 2), ("model", 2)])?;
    let split = split.map(&mut |_, spec: Spec| spec.replicated().shard("hidden", "model"));
    compare("data and tensor parallel", &grid, split, input().shard("row", "data"), &expected)?;

    sequence_parallel(&mesh)?;
    pipeline(&mesh, &expected)
}

fn on_one_device(platform: &Platform) -> hloom::Result<Vec<f32>> {
    let exe = platform.compile(Mlp::forward, (specs(), input()))?;
    let weights = Buffer::tree(platform, specs(), |_, spec| values(spec))?;
    let x = Buffer::tree(platform, input(), |_, spec| values(spec))?;
    exe.call((&weights, &x))?.to_vec()
}

/// Runs the network with its tensors partitioned by the specs.
fn compare(
    name: &str,
    mesh: &Mesh,
    specs: Mlp<Spec>,
    input: Spec,
    expected: &[f32],
) -> hloom::Result<()> {
    let exe = mesh.compile(Mlp::forward, (specs.clone(), input.clone()))?;
    let weights = Buffer::tree(mesh, specs, |_, spec| values(spec))?;
    let x = Buffer::tree(mesh, input, |_, spec| values(spec))?;
    let y = exe.call((&weights, &x))?;
    println!("{name}");
    for (what, buffer) in [("x", &x), ("up", &weights.up), ("down", &weights.down), ("result", &y)]
    {
        show(what, buffer);
    }
    check(&y, expected)
}

/// Attention over a partitioned sequence: each device holds the queries of its positions, and the
/// keys and values circulate in a ring.
fn sequence_parallel(mesh: &Mesh) -> hloom::Result<()> {
    let spec = Spec::f32([("position", ROWS), ("dim", SIZE)]);
    let whole = |x: Tensor| {
        x.dot(x.rename("position", "key"), "dim")
            .softmax("key")
            .dot(x.rename("position", "key"), "key")
    };
    let one = mesh.platform().compile(whole, (spec.clone(),))?;
    let x = Buffer::tree(mesh.platform(), spec.clone(), |_, spec| values(spec))?;
    let expected: Vec<f32> = one.call((&x,))?.to_vec()?;

    let own = PartitionSpec::shard("position", "x");
    let ring = move |x: Tensor| {
        manual(x, own, own, |query| {
            let count = axis_size("x");
            let next: Vec<(usize, usize)> =
                (0..count).map(|device| (device, (device + 1) % count)).collect();
            let mut key = query.rename("position", "key");
            let (mut sums, mut weights) = (None, None);
            for _ in 0..count {
                let scores = query.dot(key, "dim").exp();
                let (part, weight) = (scores.dot(key, "key"), scores.sum("key"));
                sums = Some(sums.map_or(part, |sums: Tensor| sums + part));
                weights = Some(weights.map_or(weight, |weights: Tensor| weights + weight));
                key = key.collective_permute("x", next.iter().copied());
            }
            // The mesh has an axis, so there was a first step.
            match (sums, weights) {
                (Some(sums), Some(weights)) => sums / weights.insert_axis(1, "_"),
                _ => query,
            }
        })
    };
    let spec = spec.shard("position", "x");
    let exe = mesh.compile(ring, (spec.clone(),))?;
    let y = exe.call((&x.to(&mesh.sharding(&spec)?)?,))?;
    println!("sequence parallel");
    show("result", &y);
    check(&y, &expected)
}

/// A pipeline by stages: device 0 computes the first layer and device 1 the second, each on a
/// different micro-batch at a time.
fn pipeline(mesh: &Mesh, expected: &[f32]) -> hloom::Result<()> {
    let devices = mesh.devices()[..2].to_vec();
    let stages = Mesh::over(mesh.platform(), devices, [("stage", 2)])?;
    let micro = ROWS / 4;
    // Both layers as one tensor whose parts are on the stages: they have the same size if the
    // second is transposed.
    let layers = Spec::f32([("stage", 2), ("a", SIZE), ("b", 4 * SIZE)]).shard("stage", "stage");
    let function = move |layers: Tensor, x: Tensor| {
        let split = (PartitionSpec::shard("stage", "stage"), PartitionSpec::replicated());
        manual((layers, x), split, PartitionSpec::replicated(), |(layer, x)| {
            let (layer, stage) = (layer.squeeze("stage"), axis_index("stage"));
            let mut results = Vec::new();
            let mut passed = Tensor::zeros(DType::F32, [("row", micro), ("b", 4 * SIZE)]);
            // Five steps for four micro-batches: the second stage is one step behind.
            for step in 0..5isize {
                let from = step.min(3) * micro as isize;
                let batch = x.slice("row", from..from + micro as isize);
                let first = batch.rename("in", "a").dot(layer, "a").relu();
                let second = passed.dot(layer, "b");
                if step > 0 {
                    results.push(second);
                }
                passed = first.collective_permute("stage", [(0, 1)]);
            }
            let own = concatenate(&results, "row");
            let is_last = stage.eq(1).convert(DType::F32);
            (own * is_last).all_reduce(Reduction::Sum, "stage")
        })
    };
    let exe = stages.compile(function, (layers.clone(), input()))?;
    let (up, down) = (values(&specs().up), values(&specs().down));
    let turned = (0..SIZE).flat_map(|a| (0..4 * SIZE).map(move |b| (a, b)));
    let both: Vec<f32> =
        up.iter().copied().chain(turned.map(|(a, b)| down[b * SIZE + a])).collect();
    let layers = Buffer::from_slice(&stages.sharding(&layers)?, &both, layers.shape().axes())?;
    let x = Buffer::tree(&stages, input(), |_, spec| values(spec))?;
    println!("pipeline");
    show("layers", &layers);
    check(&exe.call((&layers, &x))?, expected)
}

fn show(what: &str, buffer: &Buffer) {
    if let Some(sharding) = buffer.sharding() {
        let picture = sharding.picture(&buffer.shape()).to_string();
        println!("  {what}: {}", picture.replace('\n', "\n    "));
    }
}

/// Checks that the result equals that of one device.
fn check(y: &Buffer, expected: &[f32]) -> hloom::Result<()> {
    let found = y.to_vec::<f32>()?;
    let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    println!("  as on one device, but for {off:.1e}\n");
    assert!(found.len() == expected.len() && off < 1e-4, "the result differs by {off}");
    Ok(())
}
