//! Platform kernels and programs that a partitioner splits: it cannot split custom calls that it does
//! not know, so that no kernels are used, and every device computes its shard only.

use super::{CPUS, mesh};
use hloom_graph::{DType, DotOptions, PartitionSpec, Spec, Tensor};
use hloom_runtime::{Buffer, Kernels};

const K: usize = 64;
const N: usize = 24;

/// A product that a kernel computes on one device.
fn product(x: Tensor, w: Tensor) -> Tensor {
    let options = DotOptions { accumulate: Some(DType::F32), ..DotOptions::default() };
    let narrow = |t: Tensor| t.convert(DType::BF16);
    narrow(x).dot_with(narrow(w), "in", options)
}

fn values(count: usize) -> Vec<f32> {
    // Eighths below 2: products and their sums are exact.
    (0..count).map(|i| (i * 7 % 31) as f32 / 8.0 - 2.0).collect()
}

#[test]
fn kernels_step_aside_where_a_product_is_split() {
    let (x, w) = (Spec::f32([("row", 4), ("in", K)]), Spec::f32([("out", N), ("in", K)]));
    let one = CPUS.compile(product, (x.clone(), w.clone())).unwrap();
    let used: Vec<_> = one.kernels().iter().map(|kernel| kernel.name.as_str()).collect();
    assert_eq!(used, ["hloom.linear.v1"]);
    let inputs = [
        Buffer::from_slice(&CPUS, &values(4 * K), x.shape().axes()).unwrap(),
        Buffer::from_slice(&CPUS, &values(N * K), w.shape().axes()).unwrap(),
    ];
    let expected = one.call((&inputs[0], &inputs[1])).unwrap().to_vec::<f32>().unwrap();

    let mesh = mesh([("model", 4)]);
    for (axis, joined, lies, part) in [
        ("out", PartitionSpec::shard("out", "model"), "f32[row=4, out=24/model]", [6, K]),
        ("in", PartitionSpec::replicated(), "f32[row=4, out=24]", [N, K / 4]),
    ] {
        let split = |spec: &Spec| {
            if spec.shape().position(axis).is_ok() {
                spec.clone().shard(axis, "model")
            } else {
                spec.clone()
            }
        };
        let function = move |x: Tensor, w: Tensor| product(x, w).constrain(joined);
        let compiler = mesh.compiler().kernels(Kernels::default());
        let exe = compiler.compile(function, (split(&x), split(&w))).unwrap();
        assert_eq!(exe.kernels(), []);
        let (_, text) = exe.any().optimized_program().unwrap();
        assert!(!String::from_utf8_lossy(&text).contains("hloom.linear"), "{axis}");
        let [input, weight] = [0, 1].map(|i| {
            let sharding = exe.signature().inputs[i].sharding.as_ref().unwrap();
            inputs[i].to(sharding).unwrap()
        });
        assert_eq!(weight.shard(3).unwrap().shape().sizes(), part, "{axis}");
        let y = exe.call((&input, &weight)).unwrap();
        assert_eq!(y.sharding().unwrap().describe(&y.shape()), lies);
        assert_eq!(y.to_vec::<f32>().unwrap(), expected, "{axis}");
    }
}
