//! Derivatives of functions that recompute, have rules of their own, or run over devices.

mod checkpoints;
mod custom;
mod devices;
mod narrow;

use hloom::prelude::*;

/// Fixed numbers between -1 and 1.
pub fn numbers(seed: usize, count: usize) -> Vec<f64> {
    (0..count).map(|i| ((i * 37 + seed * 101 + 5) as f64 * 0.71).sin()).collect()
}

/// The results of a function on fixed numbers of these shapes, in `f64`.
pub fn run(
    platform: &Platform,
    specs: &[Spec],
    f: impl Fn(Vec<Tensor>) -> Vec<Tensor>,
) -> Vec<Vec<f64>> {
    let exe = platform.compile(f, (specs.to_vec(),)).expect("the function compiles");
    let input = |(seed, spec): (usize, &Spec)| {
        let shape = spec.shape();
        Buffer::from_slice(platform, &numbers(seed, shape.element_count()), shape.sizes())
            .expect("there is memory")
    };
    let inputs: Vec<Buffer> = specs.iter().enumerate().map(input).collect();
    let results: Vec<Buffer> = exe.call((&inputs,)).expect("the program runs");
    results.iter().map(|result| result.to_vec().expect("the result has f64")).collect()
}

/// Checks that lists of results are the same up to rounding.
#[track_caller]
pub fn assert_near(what: &str, found: &[Vec<f64>], expected: &[Vec<f64>]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.len(), expected.len(), "{what}, result {i}");
        let size = expected.iter().fold(1e-3, |size: f64, x| size.max(x.abs()));
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * size;
        assert!(
            found.iter().zip(expected).all(is_near),
            "{what}, result {i}:\n{found:?}\nnot\n{expected:?}"
        );
    }
}
