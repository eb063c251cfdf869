//! Draws in short types, whose distributions are those of `f32`, and draws from tails.

use crate::platforms::platforms;
use hloom::{ops::ChoiceOptions, prelude::*};
use std::collections::BTreeSet;

const COUNT: usize = 1_000_000;

fn chosen_by(replace: bool, probabilities: Tensor) -> ChoiceOptions {
    ChoiceOptions { replace, probabilities: Some(probabilities) }
}

/// Draws by probabilities in short types, of which each is the same as in `f32`.
#[test]
fn draws_in_short_types_are_those_of_their_probabilities() {
    for dtype in [DType::BF16, DType::F16] {
        let p = [1.0 / 64.0, 1.0 / 1024.0, 0.25];
        let tosses = move |key: Key| {
            let p = Tensor::constant(&p, [3, 1]).convert(dtype);
            key.bernoulli(p, [3, COUNT]).convert(DType::I32).sum(1)
        };
        drawn(tosses, |hits: Vec<i32>| {
            for (hits, p) in hits.into_iter().zip(p) {
                is_share(f64::from(hits), p);
            }
        });
        let classes = move |key: Key| {
            key.categorical_of(Tensor::zeros(dtype, [50]), 0, [COUNT]).bincount("_", 50)
        };
        let equal = |counts: Vec<i32>| {
            counts.into_iter().for_each(|count| is_share(f64::from(count), 1.0 / 50.0));
        };
        drawn(classes, equal);
        let chosen = move |key: Key| {
            let indices = Tensor::arange(DType::I32, "i", 50);
            let p = Tensor::full(1.0 / 50.0, dtype, [50]);
            key.choice_with(indices, 0, [COUNT], chosen_by(true, p)).bincount("_", 50)
        };
        drawn(chosen, equal);
        // The first of two elements drawn without replacement, by probabilities 1/4 and 3/4.
        let first = move |key: Key| {
            let p = Tensor::constant(&[0.25, 0.75], [2]).convert(dtype);
            let indices = Tensor::arange(DType::I32, "i", 2);
            let one = |key: Key| key.choice_with(indices, 0, [1], chosen_by(false, p));
            hloom::ops::map(key.split_along("_", 10_000), 0, one).sum(..)
        };
        drawn(first, |sum: Vec<i32>| {
            let share = f64::from(sum[0]) / 10_000.0;
            assert!((share - 0.75).abs() < 5.0 * (0.1875f64 / 10_000.0).sqrt(), "{share}");
        });
        // Beyond the largest that 128 or 1,024 uniform numbers give.
        let tails = move |key: Key| {
            let dims = [COUNT];
            let over =
                |x: Tensor, limit: f64| x.convert(DType::F32).gt(limit).convert(DType::I32).sum(0);
            hloom::ops::stack(
                &[
                    over(key.gumbel(dtype, dims), 8.0),
                    over(key.exponential(dtype, dims), 8.0),
                    over(key.normal(dtype, dims), 3.5),
                    over(key.gamma(dtype, dims, 1.0), 8.0),
                ],
                "_",
            )
        };
        drawn(tails, |over: Vec<i32>| {
            // Limits are rounded to the type's numbers by half a unit, 2^-6 of them in `bf16`.
            for (over, p) in over.into_iter().zip([3.354e-4, 3.354e-4, 2.326e-4, 3.354e-4]) {
                let share = f64::from(over) / COUNT as f64;
                assert!((share / p - 1.0).abs() < 0.35, "{dtype}: {share} for {p}");
            }
        });
    }
}

/// Whether so many of [`COUNT`] draws have probability `p`: within five standard deviations.
fn is_share(count: f64, p: f64) {
    let share = count / COUNT as f64;
    assert!((share - p).abs() < 5.0 * (p * (1.0 - p) / COUNT as f64).sqrt(), "{share} for {p}");
}

/// The numbers that a function draws by one key on each platform.
fn drawn<T: Element>(draw: impl Fn(Key) -> Tensor, test: impl Fn(Vec<T>)) {
    for platform in platforms() {
        let exe = platform.compile(&draw, (Key::spec(),)).expect("it compiles");
        let key = Buffer::from_slice(platform, &Key::words(11), [2]).expect("it fits");
        test(exe.call((&Key(key),)).and_then(|drawn| drawn.to_vec()).expect("it runs"));
    }
}

/// Limits, and the mean and the standard deviation between them, by mpmath.
const TAILS: [(f64, f64, f64, f64); 9] = [
    (6.0, 7.0, 6.15721090337828, 0.15082566465131766),
    (-7.0, -6.0, -6.15721090337828, 0.15082566465131766),
    (2.5, f64::INFINITY, 2.822744797663907, 0.29828476565375484),
    (20.0, f64::INFINITY, 20.04975306852785, 0.04963125643233469),
    (f64::NEG_INFINITY, -15.0, -15.066086827140982, 0.06580367895279661),
    (8.0, 8.01, 8.004933299012325, 0.002886284161124135),
    (-1.0, 7.0, 0.28759997092875855, 0.7935277472818203),
    (3.0, 3.5, 3.1855943984006725, 0.135013784152285),
    (100.0, f64::INFINITY, 100.00999800099926, 0.009997002048027372),
];

#[test]
fn tails_are_drawn_at_any_distance() {
    const EACH: usize = 100_000;
    let column = |values: [f64; TAILS.len()]| Tensor::constant(&values, [TAILS.len(), 1]);
    let limits = [TAILS.map(|tail| tail.0), TAILS.map(|tail| tail.1)];
    for dtype in [DType::F32, DType::F64] {
        // Limits that are known while tracing, and those that are not.
        let draw = move |key: Key| {
            let known = |(low, high, ..): (f64, f64, f64, f64)| {
                key.truncated_normal(dtype, [EACH], low, high)
            };
            let known = hloom::ops::stack(&TAILS.map(known), "_");
            let [low, high] = limits.map(|limits| column(limits).convert(dtype));
            let computed = key.truncated_normal(dtype, [TAILS.len(), EACH], low, high);
            hloom::ops::concatenate(&[known, computed], 0).convert(DType::F64)
        };
        drawn(draw, |numbers: Vec<f64>| {
            let rows = numbers.chunks(EACH).zip(TAILS.iter().chain(&TAILS));
            for (row, &(low, high, mean, deviation)) in rows {
                let limits = format!("{low} to {high} in {dtype}");
                assert!(row.iter().all(|&x| x > low && x < high), "{limits}");
                let found = row.iter().sum::<f64>() / EACH as f64;
                let error = deviation / (EACH as f64).sqrt();
                assert!((found - mean).abs() < 5.0 * error, "{limits}: {found}, not {mean}");
                let squares = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
                let found = (squares / EACH as f64).sqrt();
                assert!((found / deviation - 1.0).abs() < 0.02, "{limits}: {found}");
                let distinct: BTreeSet<u64> = row.iter().map(|x| x.to_bits()).collect();
                // `f32` has 10,500 numbers between 8 and 8.01, and 15,000 in the tail of 100.
                assert!(distinct.len() > 5_000, "{limits}: {}", distinct.len());
            }
        });
    }
}
