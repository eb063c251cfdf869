//! Programs that XLA rejects as traced, most of them over a mesh.

use crate::platforms::cpus;
use hloom::{
    mesh::manual,
    ops::{composite, concatenate},
    prelude::*,
};
use hloom_test_support::is_alone;

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
    let spec = Spec::new(DType::I32, [4, 3]).partitioned(PartitionSpec::shard(0, "x"));
    let sums = |x: Tensor| {
        let narrow = x.convert(DType::U4);
        (narrow.sum(0).convert(DType::I32), narrow.max(0).convert(DType::I32))
    };
    let exe = mesh.compile(sums, (spec.clone(),)).unwrap();
    let x = placed(&mesh, &spec, &[1, 12, 0, 11, 3, 0, 1, 11, 0, 12, 3, 1]);
    let (sum, max) = exe.call((&x,)).unwrap();
    assert_eq!(sum.to_vec::<i32>().unwrap(), [9, 13, 1], "modulo 16");
    assert_eq!(max.to_vec::<i32>().unwrap(), [12, 12, 1]);
}

#[test]
fn nothing_is_gathered_from_devices() {
    let mesh = mesh();
    let spec = Spec::f32([2, 2, 0]).partitioned(PartitionSpec::shard(0, "x"));
    let gathered = |x: Tensor| {
        let split = || PartitionSpec::shard(0, "x");
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

/// Runs a test's program in a process of its own: a plugin that rejects it aborts the process.
fn in_child(test: &str, program: impl FnOnce()) {
    if is_alone(&format!("split_programs::{test}")) {
        program();
    }
}

#[test]
fn a_cut_edge_between_elements_moved_apart_is_padded() {
    in_child("a_cut_edge_between_elements_moved_apart_is_padded", || {
        let mesh = mesh();
        let spec = Spec::f32([4]).partitioned(PartitionSpec::shard(0, "x"));
        let padded = |x: Tensor| x.pad_interior(0, -1, 2, 2, 9.0);
        let exe = mesh.compile(padded, (spec.clone(),)).unwrap();
        let y = exe.call((&placed(&mesh, &spec, &[1f32, 2.0, 3.0, 4.0]),)).unwrap();
        let expected = [9.0, 9.0, 2.0, 9.0, 9.0, 3.0, 9.0, 9.0, 4.0, 9.0, 9.0];
        assert_eq!(y.to_vec::<f32>().unwrap(), expected);
    });
}

#[test]
fn known_integers_are_divided_by_zero() {
    in_child("known_integers_are_divided_by_zero", || {
        let divided = |x: Tensor| {
            let zero = Tensor::scalar(0, DType::I32);
            let zeros = Tensor::constant(&[0u8, 3, 0], [3]);
            let difference = Tensor::scalar(5, DType::I64) - Tensor::scalar(5, DType::I64);
            let one = Tensor::scalar(7, DType::I32);
            (
                (one / zero, one % zero),
                (zeros / zeros, zeros % zeros),
                one.convert(DType::I64) / difference,
                x,
            )
        };
        let mesh = mesh();
        let spec = Spec::f32([2]).partitioned(PartitionSpec::shard(0, "x"));
        let split = mesh.compile(divided, (spec.clone(),)).unwrap();
        let whole = cpus().compile(divided, (Spec::f32([2]),)).unwrap();
        for (of_one, of_some, wide, _) in [
            split.call((&placed(&mesh, &spec, &[1f32, 2.0]),)).unwrap(),
            whole.call((&Buffer::from_slice(cpus(), &[1f32, 2.0], [2]).unwrap(),)).unwrap(),
        ] {
            assert_eq!(of_one.0.to_vec::<i32>().unwrap(), [-1], "all bits are one");
            assert_eq!(of_one.1.to_vec::<i32>().unwrap(), [7]);
            assert_eq!(of_some.0.to_vec::<u8>().unwrap(), [255, 1, 255]);
            assert_eq!(of_some.1.to_vec::<u8>().unwrap(), [0, 0, 0]);
            assert_eq!(wide.to_vec::<i64>().unwrap(), [-1]);
        }
    });
}

#[test]
fn integers_are_divided_by_what_turns_out_to_be_zero() {
    in_child("integers_are_divided_by_what_turns_out_to_be_zero", || {
        let divided = |x: Tensor| {
            let least = Tensor::constant(&[i32::MIN, 5], [2]);
            let ones = Tensor::ones(DType::I32, [2]);
            let all = composite(
                "test.divided",
                1,
                hloom::ops::Attributes::new(),
                (x, x - x),
                |(x, y)| x / y,
            );
            (x / (x - x), x % (x ^ x), all, (least / (ones - 2), least % (ones - 2)))
        };
        let exe = cpus().compile(divided, (Spec::i32([2]),)).unwrap();
        let (quotient, rest, all, least) =
            exe.call((&Buffer::from_slice(cpus(), &[7, -9], [2]).unwrap(),)).unwrap();
        assert_eq!(quotient.to_vec::<i32>().unwrap(), [-1, -1]);
        assert_eq!(rest.to_vec::<i32>().unwrap(), [7, -9]);
        assert_eq!(all.to_vec::<i32>().unwrap(), [-1, -1]);
        assert_eq!(least.0.to_vec::<i32>().unwrap(), [i32::MIN, -5]);
        assert_eq!(least.1.to_vec::<i32>().unwrap(), [0, 0]);
    });
}

#[test]
fn parts_without_elements_and_narrow_extremes_are_compiled() {
    in_child("parts_without_elements_and_narrow_extremes_are_compiled", || {
        let function = |x: Tensor, nothing: Tensor| {
            let joined = concatenate(&[nothing, x, nothing], 0);
            let narrow = |dtype| x.ge(0).convert(dtype).max(..).convert(DType::I32);
            (joined.slice(0, 2..2), narrow(DType::I2), narrow(DType::I4), narrow(DType::U2))
        };
        let exe = cpus().compile(function, (Spec::i32([2]), Spec::i32([0]))).unwrap();
        let buffer = |values: &[i32]| Buffer::from_slice(cpus(), values, [values.len()]).unwrap();
        let (empty, of_i2, of_i4, of_u2) = exe.call((&buffer(&[3, -1]), &buffer(&[]))).unwrap();
        assert!(empty.to_vec::<i32>().unwrap().is_empty());
        let all = [of_i2, of_i4, of_u2].map(|x| x.to_vec::<i32>().unwrap()[0]);
        assert_eq!(all, [1, 1, 1]);
    });
}

#[test]
fn products_of_four_bits_are_laid_out_as_they_come() {
    in_child("products_of_four_bits_are_laid_out_as_they_come", || {
        let product = |x: Tensor, y: Tensor, z: Tensor| {
            let options = hloom::ops::DotOptions {
                accumulate: Some(DType::I4),
                ..hloom::ops::DotOptions::default()
            };
            // The batch axis is the second one of the left side.
            (x.dot_general::<usize, usize>(y, &[], &[(1, 0)], options), z + z)
        };
        let specs = (Spec::new(DType::U4, [2, 3]), Spec::new(DType::U4, [3]), Spec::f32([1]));
        let mesh = mesh();
        let exe = mesh.compile(product, specs.clone()).unwrap();
        let bytes = |spec: &Spec, bytes: &[u8]| {
            Buffer::from_bytes(&mesh.sharding(spec).unwrap(), spec.shape(), bytes).unwrap()
        };
        let (x, y) = (bytes(&specs.0, &[1, 2, 3, 15, 5, 6]), bytes(&specs.1, &[1, 3, 15]));
        let (product, _) = exe.call((&x, &y, &placed(&mesh, &specs.2, &[1f32]))).unwrap();
        assert_eq!(product.shape().sizes(), [3, 2]);
        // 1, 15, 6, 15, 45, 90 modulo 16, as signed numbers in bytes.
        let expected = [1i8, -1, 6, -1, -3, -6].map(|value| value as u8);
        assert_eq!(product.to_bytes().unwrap(), expected);
    });
}

#[test]
fn starts_beyond_an_axis_are_moved_into_it_as_one() {
    let mesh = mesh();
    let x = Spec::f32([5]);
    let part = Spec::f32([2]).partitioned(PartitionSpec::shard(0, "x"));
    let start = Spec::of(Shape::scalar(DType::I64));
    let function = |x: Tensor, part: Tensor, start: Tensor| {
        // The sum allows splitting the slice like `part`.
        (x.dynamic_slice(0, start, 2) + part, x.dynamic_update_slice(part, 0, start))
    };
    let exe = mesh.compile(function, (x.clone(), part.clone(), start.clone())).unwrap();
    let values = placed(&mesh, &x, &[1f32, 2.0, 3.0, 4.0, 5.0]);
    let zeros = placed(&mesh, &part, &[0f32, 0.0]);
    for (at, sliced, updated) in [
        // Negative ones count from the end.
        (-3, [3.0, 4.0], [1.0, 2.0, 0.0, 0.0, 5.0]),
        (-9, [1.0, 2.0], [0.0, 0.0, 3.0, 4.0, 5.0]),
        (1, [2.0, 3.0], [1.0, 0.0, 0.0, 4.0, 5.0]),
        (4, [4.0, 5.0], [1.0, 2.0, 3.0, 0.0, 0.0]),
        (i64::MAX, [4.0, 5.0], [1.0, 2.0, 3.0, 0.0, 0.0]),
    ] {
        let (slice, update) = exe.call((&values, &zeros, &placed(&mesh, &start, &[at]))).unwrap();
        assert_eq!(slice.to_vec::<f32>().unwrap(), sliced, "from {at}");
        assert_eq!(update.to_vec::<f32>().unwrap(), updated, "from {at}");
    }
}

#[test]
fn truths_are_clamped_in_loops() {
    let clamped = |low: Tensor, high: Tensor| {
        for_loop(2, low, |_, x| high.clamp(x.minimum(low), high) & x.clamp(low, high))
    };
    let spec = Spec::new(DType::Bool, [4]);
    let exe = cpus().compile(clamped, (spec.clone(), spec)).unwrap();
    let buffer = |values: [bool; 4]| Buffer::from_slice(cpus(), &values, [4]).unwrap();
    let (low, high) = (buffer([false, false, true, true]), buffer([false, true, false, true]));
    let y = exe.call((&low, &high)).unwrap();
    // Where both bounds cross, the upper one is used.
    assert_eq!(y.to_vec::<bool>().unwrap(), [false, false, false, true]);
}

#[test]
fn complex_numbers_are_ordered_by_both_parts() {
    type C = num_complex::Complex<f32>;
    let c = C::new;
    let spec = Spec::new(DType::C64, [6]);
    let both = |x: Tensor, y: Tensor| (x.maximum(y), x.minimum(y));
    let exe = cpus().compile(both, (spec.clone(), spec)).unwrap();
    let nan = c(f32::NAN, 0.0);
    let x = [c(-0.0, -0.5), c(0.0, 0.5), c(1.0, 2.0), c(1.0, 3.0), c(-1.0, 3.0), nan];
    let y = [c(0.0, 0.0), c(0.0, 0.0), c(1.0, 3.0), c(1.0, 2.0), c(0.0, 0.0), c(1.0, 1.0)];
    let buffer = |values: &[C]| Buffer::from_slice(cpus(), values, [6]).unwrap();
    let (max, min) = exe.call((&buffer(&x), &buffer(&y))).unwrap();
    let (max, min) = (max.to_vec::<C>().unwrap(), min.to_vec::<C>().unwrap());
    assert_eq!(max[..5], [c(0.0, 0.0), c(0.0, 0.5), c(1.0, 3.0), c(1.0, 3.0), c(0.0, 0.0)]);
    assert_eq!(min[..5], [c(0.0, -0.5), c(0.0, 0.0), c(1.0, 2.0), c(1.0, 2.0), c(-1.0, 3.0)]);
    assert!(max[5].re.is_nan() && min[5].re.is_nan());
}

#[test]
fn the_angle_of_known_zeros_is_zero() {
    let angle = |x: Tensor| {
        let zeros = Tensor::full(0, DType::F64, [2]);
        (x.imag().atan2(x.imag()), zeros.atan2(zeros), zeros.atan2(x.imag()))
    };
    let exe = cpus().compile(angle, (Spec::new(DType::F64, [2]),)).unwrap();
    let x = Buffer::from_slice(cpus(), &[1.0f64, 2.0], [2]).unwrap();
    let (a, b, c) = exe.call((&x,)).unwrap();
    for angle in [a, b, c] {
        assert_eq!(angle.to_vec::<f64>().unwrap(), [0.0, 0.0]);
    }
}
