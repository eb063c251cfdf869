//! Gradients over parts of a batch, and checks of finite gradients.

use crate::fixture::values;
use hloom_graph::{DType, Spec, Tensor};
use hloom_optim::{accumulate, all_finite};
use hloom_runtime::Buffer;
use hloom_test_support::CPU_BY_TEST as CPU;

/// The loss `mean((x . w - y)^2)` and its gradients, by hand.
fn squared_error(w: Tensor, x: Tensor, y: Tensor) -> (Tensor, Tensor) {
    let error = x.dot(w, "in") - y;
    let loss = error.square().mean("batch");
    (loss, (x * error).mean("batch") * 2.0)
}

fn random(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(next).collect()
}

#[test]
fn the_mean_over_parts_is_that_of_the_batch() {
    let specs = || {
        let x = Spec::f32([("batch", 12), ("in", 5)]);
        (Spec::f32([("in", 5)]), x, Spec::f32([("batch", 12)]))
    };
    let whole = CPU.compile(squared_error, specs()).unwrap();
    let w = Buffer::from_slice(&*CPU, &random(5, 1), [("in", 5)]).unwrap();
    let x = Buffer::from_slice(&*CPU, &random(60, 2), [("batch", 12), ("in", 5)]).unwrap();
    let y = Buffer::from_slice(&*CPU, &random(12, 3), [("batch", 12)]).unwrap();
    let (loss, gradient) = whole.call((&w, &x, &y)).unwrap();
    for parts in [1, 2, 3, 4, 6, 12] {
        let in_parts = |w: Tensor, x: Tensor, y: Tensor| {
            accumulate((x, y), "batch", parts, |(x, y)| squared_error(w, x, y))
        };
        let in_parts = CPU.compile(in_parts, specs()).unwrap();
        let found = in_parts.call((&w, &x, &y)).unwrap();
        let pairs = [(values(&found.0), values(&loss)), (values(&found.1), values(&gradient))];
        for (found, expected) in pairs {
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-6, "{parts}: {found} {expected}");
            }
        }
    }
}

#[test]
fn parts_are_consecutive_along_any_axis_without_a_name() {
    let program = |x: Tensor| accumulate(x, 1, 2, |x| x.reshape([2 * 3]));
    let exe = CPU.compile(program, (Spec::f32([2, 6]),)).unwrap();
    let numbers: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let x = Buffer::from_slice(&*CPU, &numbers, [2, 6]).unwrap();
    let mean = exe.call((&x,)).unwrap().to_vec::<f32>().unwrap();
    assert_eq!(mean, [1.5, 2.5, 3.5, 7.5, 8.5, 9.5]);
}

#[test]
fn short_floats_are_summed_in_f32() {
    let program = |x: Tensor| accumulate(x, 0, 4096, |x| x.squeeze(0));
    let exe = CPU.compile(program, (Spec::bf16([4096]),)).unwrap();
    let x = vec![half::bf16::ONE; 4096];
    let x = Buffer::from_slice(&*CPU, &x, [4096]).unwrap();
    // A sum in `bf16` would end at 256.
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<half::bf16>().unwrap(), [half::bf16::ONE]);
}

#[test]
fn infinite_and_nan_gradients_are_found() {
    let program = |gradients: (Tensor, Tensor, Tensor)| all_finite(&gradients);
    let specs = (Spec::f32([2]), Spec::i32([2]), Spec::new(DType::F16, [1]));
    let exe = CPU.compile(program, (specs,)).unwrap();
    for (value, half, expected) in [
        (1.0, 1.0, true),
        (f32::MAX, -1.0, true),
        (f32::INFINITY, 1.0, false),
        (f32::NAN, 1.0, false),
        (1.0, f32::NEG_INFINITY, false),
    ] {
        let gradients = (
            Buffer::from_slice(&*CPU, &[0.0, value], [2]).unwrap(),
            Buffer::from_slice(&*CPU, &[i32::MAX, i32::MIN], [2]).unwrap(),
            Buffer::from_slice(&*CPU, &[half::f16::from_f32(half)], [1]).unwrap(),
        );
        assert_eq!(exe.call((&gradients,)).unwrap().to_vec::<bool>().unwrap(), [expected]);
    }
}
