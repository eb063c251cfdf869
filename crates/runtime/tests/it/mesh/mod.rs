//! Programs and buffers over several devices of the real CPU plugin.

mod bad_input;
mod callbacks;
mod failing_kernel;
mod kernels;
mod logs;
mod manual_kernels;
mod nested;
mod one_device;
mod picture;
mod property;
mod reshard;

use hloom_graph::{DType, PartitionSpec, Reduction, Shape, Spec, Tensor, manual};
use hloom_runtime::{Buffer, Donated, Mesh};
pub use hloom_test_support::CPUS;

pub fn mesh<const N: usize>(axes: [(&'static str, usize); N]) -> Mesh {
    Mesh::new(&CPUS, axes).expect("six devices are enough")
}

pub fn counted(count: usize) -> Vec<f32> {
    (0..count).map(|i| i as f32).collect()
}

/// Elements are read, and copied, in an order of axes of the caller's, also over a mesh.
#[test]
fn buffers_are_transposed() {
    let mesh = mesh([("x", 3), ("y", 2)]);
    let spec = Spec::f32([("a", 2), ("b", 3), ("c", 4)]).shard("b", "x").shard("a", "y");
    let one = Buffer::from_slice(&*CPUS, &counted(24), spec.shape().axes()).unwrap();
    let split = one.to(&mesh.sharding(&spec).unwrap()).unwrap();
    let expected: Vec<f32> = (0..24)
        .map(|i| {
            let (c, a, b) = (i / 6, i / 3 % 2, i % 3);
            (a * 12 + b * 4 + c) as f32
        })
        .collect();
    for buffer in [&one, &split] {
        let order = ["c", "a", "b"];
        assert_eq!(buffer.to_vec_in::<f32>(order).unwrap(), expected);
        let copy = buffer.transposed(order).unwrap();
        assert_eq!(copy.shape().to_string(), "f32[c=4, a=2, b=3]");
        assert_eq!(copy.to_vec::<f32>().unwrap(), expected);
        let back = copy.transposed(["a", "b", "c"]).unwrap();
        assert_eq!(back.sharding(), buffer.sharding());
        assert_eq!(back.to_vec_in::<f32>([0, 1, 2]).unwrap(), counted(24));
        assert_eq!(buffer.to_vec_in::<f32>(..).unwrap(), counted(24));
        for wrong in [&["a", "b"][..], &["a", "b", "b"], &["a", "b", "c", "a"]] {
            let error = buffer.to_vec_in::<f32>(wrong).unwrap_err().to_string();
            assert!(error.contains("each of its axes is named once"), "{error}");
            assert_eq!(buffer.transposed(wrong).map(drop).unwrap_err().to_string(), error);
        }
        let error = buffer.to_vec_in::<f32>(["a", "b", "d"]).unwrap_err().to_string();
        assert_eq!(error, "there is no axis `d` in f32[a=2, b=3, c=4]");
        let error = buffer.to_vec_in::<i32>(order).unwrap_err().to_string();
        assert!(error.contains("type i32"), "{error}");
    }
    let split = copy_of_sharding(&split);
    assert_eq!(split, "f32[c=4, a=2/y, b=3/x]");
    for dtype in [DType::F64, DType::I8, DType::Bool] {
        let shape = Shape::new(dtype, [2, 0, 3]).unwrap();
        let empty = Buffer::zeros(&*CPUS, Spec::of(shape)).unwrap();
        assert_eq!(empty.transposed([2, 0, 1]).unwrap().shape().sizes(), [3, 2, 0]);
        let shape = Shape::new(dtype, [1, 3, 1]).unwrap();
        let zeros = Buffer::zeros(&*CPUS, Spec::of(shape)).unwrap();
        assert_eq!(zeros.transposed([1, 2, 0]).unwrap().shape().sizes(), [3, 1, 1]);
    }
}

fn copy_of_sharding(split: &Buffer) -> String {
    let copy = split.transposed(["c", "a", "b"]).unwrap();
    copy.sharding().expect("it is sharded").describe(&copy.shape())
}

#[test]
fn each_device_has_its_part_and_the_whole_comes_back() {
    let mesh = mesh([("x", 2), ("y", 3)]);
    let values = counted(6 * 4);
    let spec = Spec::f32([("a", 6), ("b", 4)]);
    for (spec, part, first) in [
        (spec.clone(), [6, 4], vec![0.0, 1.0, 2.0, 3.0]),
        (spec.clone().shard("a", "x"), [3, 4], vec![12.0, 13.0, 14.0, 15.0]),
        (spec.clone().shard("b", "x"), [6, 2], vec![2.0, 3.0, 6.0, 7.0]),
        (spec.clone().shard("a", "y").shard("b", "x"), [2, 2], vec![18.0, 19.0, 22.0, 23.0]),
        (spec.clone().shard("a", ["y", "x"]), [1, 4], vec![20.0, 21.0, 22.0, 23.0]),
    ] {
        let sharding = mesh.sharding(&spec).unwrap();
        let buffer = Buffer::from_slice(&sharding, &values, [("a", 6), ("b", 4)]).unwrap();
        assert_eq!(buffer.shards().len(), 6);
        assert_eq!(buffer.to_vec::<f32>().unwrap(), values, "{buffer:?}");
        let last = buffer.shard(5).unwrap();
        assert_eq!(last.shape().sizes(), part);
        assert_eq!(last.to_vec::<f32>().unwrap()[..4], first);
        assert_eq!(last.as_pjrt().device().unwrap(), mesh.devices()[5]);
        assert_eq!(buffer.duplicate(&CPUS).unwrap().to_vec::<f32>().unwrap(), values);
        assert!(buffer.shard(6).is_err());
    }
}

/// E17: programs over several devices take and return sharded buffers.
#[test]
fn a_product_is_the_same_over_every_mesh() {
    let (x, w) = (Spec::f32([("batch", 6), ("in", 4)]), Spec::f32([("in", 4), ("out", 6)]));
    let (xs, ws) = (counted(24), counted(24));
    let product = |x: Tensor, w: Tensor| x.dot(w, "in");
    let one = CPUS.compile(product, (x.clone(), w.clone())).unwrap();
    let a = Buffer::from_slice(&CPUS, &xs, [("batch", 6), ("in", 4)]).unwrap();
    let b = Buffer::from_slice(&CPUS, &ws, [("in", 4), ("out", 6)]).unwrap();
    let expected = one.call((&a, &b)).unwrap().to_vec::<f32>().unwrap();
    let mesh = mesh([("data", 3), ("model", 2)]);
    for (x, w) in [
        (x.clone(), w.clone()),
        (x.clone().shard("batch", "data"), w.clone().shard("out", "model")),
        (x.clone().shard("in", "model"), w.clone().shard("in", "model")),
        (x.clone().shard("batch", ["model", "data"]), w.clone()),
        (x.clone().open("batch").open("in"), w.clone().shard("out", "data")),
    ] {
        let exe = mesh.compile(product, (x, w)).unwrap();
        let inputs = &exe.signature().inputs;
        let a = a.to(inputs[0].sharding.as_ref().unwrap()).unwrap();
        let b = b.to(inputs[1].sharding.as_ref().unwrap()).unwrap();
        let mut y = exe.call((&a, &b)).unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), expected, "{exe:?}");
        assert_eq!(y.sharding(), exe.signature().outputs[0].sharding.as_ref());
        exe.call_into((&a, &b), &mut y).unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), expected);
        let bound = exe.bind(&a).unwrap();
        assert_eq!(bound.call((&b,)).unwrap().to_vec::<f32>().unwrap(), expected);
    }
}

#[test]
fn results_lie_as_they_are_constrained_or_as_the_compiler_chooses() {
    let mesh = mesh([("x", 2), ("y", 3)]);
    let x = Spec::f32([("a", 6), ("b", 12)]).shard("a", "y");
    let exe = mesh
        .compile(
            |x: Tensor| {
                vec![
                    x + 1.0,
                    x.constrain([("b", "x")]),
                    (x * 2.0).constrain(PartitionSpec::replicated()),
                    x.reshape([2, 3, 12]),
                    x.constrain([("b", ["x", "y"])]).reshape([6, 3, 4]),
                ]
            },
            (x.clone(),),
        )
        .unwrap();
    let lies: Vec<String> = exe
        .signature()
        .outputs
        .iter()
        .map(|output| output.sharding.as_ref().unwrap().describe(&output.shape))
        .collect();
    assert_eq!(lies[..3], ["f32[a=6/y, b=12]", "f32[a=6, b=12/x]", "f32[a=6, b=12]"]);
    let values = counted(72);
    let buffer =
        Buffer::from_slice(&mesh.sharding(&x).unwrap(), &values, [("a", 6), ("b", 12)]).unwrap();
    let results = exe.call((&buffer,)).unwrap();
    for (result, factor) in results.iter().zip([0.0, 1.0, 2.0, 1.0, 1.0]) {
        let expected: Vec<f32> =
            values.iter().map(|v| if factor == 0.0 { v + 1.0 } else { v * factor }).collect();
        assert_eq!(result.to_vec::<f32>().unwrap(), expected, "{result:?}");
    }
}

#[test]
fn code_for_each_device_exchanges_values() {
    let mesh = mesh([("x", 2), ("y", 3)]);
    let spec = Spec::f32([("a", 6), ("b", 6)]).shard("a", "x").shard("b", "y");
    let split = PartitionSpec::shard("a", "x").and("b", "y");
    let sums = move |x: Tensor| {
        manual(x, split, PartitionSpec::shard("a", "x"), |x| {
            x.sum("b").all_reduce(Reduction::Sum, "y")
        })
    };
    let exe = mesh.compile(sums, (spec.clone(),)).unwrap();
    let x = Buffer::from_slice(&mesh.sharding(&spec).unwrap(), &counted(36), [("a", 6), ("b", 6)])
        .unwrap();
    let rows = [15.0, 51.0, 87.0, 123.0, 159.0, 195.0];
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), rows);
}

#[test]
fn padded_parts_are_not_seen() {
    let mesh = mesh([("x", 4)]);
    let spec = Spec::f32([("a", 5), ("b", 3)]).shard("a", "x").padded();
    let function = |x: Tensor| {
        let plus = (x + 1.0).constrain(PartitionSpec::shard("a", "x").padded());
        (plus, x.sum("a"), x.max(..))
    };
    let exe = mesh.compile(function, (spec.clone(),)).unwrap();
    let x = Buffer::from_slice(&mesh.sharding(&spec).unwrap(), &counted(15), [("a", 5), ("b", 3)])
        .unwrap();
    assert_eq!(x.to_vec::<f32>().unwrap(), counted(15));
    let (plus, sums, max) = exe.call((&x,)).unwrap();
    assert_eq!(plus.shard(0).unwrap().shape().sizes(), [2, 3]);
    assert_eq!(plus.to_vec::<f32>().unwrap(), counted(16)[1..]);
    assert_eq!(sums.to_vec::<f32>().unwrap(), [30.0, 35.0, 40.0]);
    assert_eq!(max.item::<f32>().unwrap(), 14.0);
}

#[test]
fn a_donated_buffer_is_consumed_on_every_device() {
    let mesh = mesh([("x", 2)]);
    let spec = Spec::f32([8]).shard(0, "x");
    let step = |cache: Tensor, x: Tensor| (cache + x).reuse(cache);
    let exe = mesh.compile(step, (Donated(spec.clone()), Spec::scalar(DType::F32))).unwrap();
    let mut cache =
        Buffer::zeros(&mesh.sharding(&spec).unwrap(), Shape::new(DType::F32, [8]).unwrap())
            .unwrap();
    let one = Buffer::scalar(&mesh, 1f32).unwrap();
    let start: Vec<usize> =
        cache.shards().iter().map(|part| part.unsafe_pointer().unwrap()).collect();
    for _ in 0..10 {
        cache = exe.call((cache, &one)).unwrap();
    }
    let end: Vec<usize> =
        cache.shards().iter().map(|part| part.unsafe_pointer().unwrap()).collect();
    assert_eq!(start, end);
    assert_eq!(cache.to_vec::<f32>().unwrap(), [10.0; 8]);
    let part = cache.shard(1).unwrap();
    let error = exe.call((cache, &one)).unwrap_err().to_string();
    assert!(error.contains("`arg0`: cannot be donated"), "{error}");
    drop(part);
}
