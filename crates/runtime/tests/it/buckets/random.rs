//! Padding and cutting of random shapes.

use hloom_graph::{DType, Element, Spec, Tensor};
use hloom_runtime::{Buckets, Buffer};
use hloom_test_support::CPU;
use proptest::prelude::*;

/// Returns the input, and its elements in the whole bucket, of which padding has to be 0.
fn with_sum(x: Tensor, _: Tensor) -> (Tensor, Tensor) {
    let all: Vec<isize> = (0..x.shape().rank() as isize).collect();
    (x, x.convert(DType::F32).sum(&all[..]))
}

fn check<T: Element + PartialEq + std::fmt::Debug>(
    (before, length, after): (usize, usize, usize),
    buckets: Buckets,
    number: impl Fn(usize) -> T,
    sum: impl Fn(usize) -> f32,
) {
    let dims = [("before", before), ("seq", length), ("after", after)];
    let spec = Spec::new(T::DTYPE, dims);
    let values: Vec<T> = (0..before * length * after).map(&number).collect();
    let x = Buffer::from_slice(&CPU, &values, dims).unwrap();
    let exe = CPU.compile_buckets(with_sum, (spec,), buckets).unwrap();
    let (same, total) = exe.call((&x,)).unwrap();
    assert_eq!(same.shape(), x.shape());
    assert_eq!(same.to_vec::<T>().unwrap(), values);
    let expected: f32 = (0..values.len()).map(sum).sum();
    assert_eq!(total.item::<f32>().unwrap(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_element_keeps_its_place(
        before in 0..4usize,
        length in 1..20usize,
        after in 0..4usize,
        step in 1..9usize,
        kind in 0..4,
    ) {
        let buckets = Buckets::multiples("seq", step, 1..=20);
        let sizes = (before, length, after);
        match kind {
            0 => check(sizes, buckets, |i| i as f32 + 1.0, |i| i as f32 + 1.0),
            1 => check(sizes, buckets, |i| i as u8 % 7 + 1, |i| (i % 256 % 7) as f32 + 1.0),
            2 => check(sizes, buckets, |i| i % 3 != 1, |i| f32::from(u8::from(i % 3 != 1))),
            _ => check(sizes, buckets, |i| i as i64 + 1, |i| i as f32 + 1.0),
        }
    }
}
