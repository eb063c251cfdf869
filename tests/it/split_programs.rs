//! Programs over a mesh that XLA does not take as they are traced.

use crate::platforms::cpus;
use hloom::{manual, prelude::*};
use std::process::Command;

fn mesh() -> Mesh {
    Mesh::new(cpus(), [("x", 2)]).expect("there are six devices")
}

fn placed<T: hloom::Element>(mesh: &Mesh, spec: &Spec, values: &[T]) -> Buffer {
    let sharding = mesh.sharding(spec).unwrap();
    Buffer::from_slice(&sharding, values, spec.shape().axes()).unwrap()
}

#[test]
fn narrow_integers_are_summed_over_devices() {
    let mesh = mesh();
    let spec = Spec::new(DType::I32, [4, 3]).partitioned(Partition::shard(0, "x"));
    let sums = |x: Tensor| {
        let narrow = x.convert(DType::U2);
        (narrow.sum(0).convert(DType::I32), narrow.max(0).convert(DType::I32))
    };
    let exe = mesh.compile(sums, (spec.clone(),)).unwrap();
    let x = placed(&mesh, &spec, &[1, 2, 0, 1, 3, 0, 1, 1, 0, 2, 3, 1]);
    let (sum, max) = exe.call((&x,)).unwrap();
    assert_eq!(sum.to_vec::<i32>().unwrap(), [1, 1, 1], "modulo 4");
    assert_eq!(max.to_vec::<i32>().unwrap(), [2, 3, 1]);
}

#[test]
fn nothing_is_gathered_from_devices() {
    let mesh = mesh();
    let spec = Spec::f32([2, 2, 0]).partitioned(Partition::shard(0, "x"));
    let gathered = |x: Tensor| {
        let split = || Partition::shard(0, "x");
        let whole = |y: Tensor| y.insert_axis(0, "_");
        manual(x, split(), (split(), split()), |x: Tensor| {
            let x = x.squeeze(0);
            (whole(x.all_gather(1, "x")), whole(x.all_to_all(0, 1, "x")))
        })
    };
    let exe = mesh.compile(gathered, (spec.clone(),)).unwrap();
    let (all, parts) = exe.call((&placed::<f32>(&mesh, &spec, &[]),)).unwrap();
    assert_eq!(all.shape().sizes(), [2, 2, 0]);
    assert_eq!(parts.shape().sizes(), [2, 1, 0]);
}

#[test]
fn a_cut_edge_between_elements_moved_apart_is_padded() {
    // A plugin that does not take it ends the process.
    const CHILD: &str = "HLOOM_TEST_CUT_EDGE";
    if std::env::var_os(CHILD).is_none() {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args([
            "--exact",
            "split_programs::a_cut_edge_between_elements_moved_apart_is_padded",
        ]);
        let output = child.env(CHILD, "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let mesh = mesh();
    let spec = Spec::f32([4]).partitioned(Partition::shard(0, "x"));
    let padded = |x: Tensor| x.pad_interior(0, -1, 2, 2, 9.0);
    let exe = mesh.compile(padded, (spec.clone(),)).unwrap();
    let y = exe.call((&placed(&mesh, &spec, &[1f32, 2.0, 3.0, 4.0]),)).unwrap();
    let expected = [9.0, 9.0, 2.0, 9.0, 9.0, 3.0, 9.0, 9.0, 4.0, 9.0, 9.0];
    assert_eq!(y.to_vec::<f32>().unwrap(), expected);
}

#[test]
fn truths_are_clamped_in_loops() {
    let clamped =
        |low: Tensor, high: Tensor| for_loop(2, low, |_, x| high.clamp(x.minimum(low), high) & x.clamp(low, high));
    let spec = Spec::new(DType::Bool, [4]);
    let exe = cpus().compile(clamped, (spec.clone(), spec)).unwrap();
    let buffer = |values: [bool; 4]| Buffer::from_slice(cpus(), &values, [4]).unwrap();
    let (low, high) = (buffer([false, false, true, true]), buffer([false, true, false, true]));
    let y = exe.call((&low, &high)).unwrap();
    // Where both bounds cross, the upper one is taken.
    assert_eq!(y.to_vec::<bool>().unwrap(), [false, false, false, true]);
}
