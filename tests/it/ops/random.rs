//! Random numbers: those that JAX draws by the same key, and their distributions.

use super::table::check;
use crate::platforms::{cpu, platforms};
use hloom::{ops::ChoiceOptions, prelude::*};
use std::f64::consts::PI;

#[test]
fn numbers_are_those_of_jax() {
    check("random");
}

fn choice(replace: bool, probabilities: Option<Tensor>) -> ChoiceOptions {
    ChoiceOptions { replace, probabilities }
}

const COUNT: usize = 1_000_000;

/// Draws a million numbers on each platform.
fn million<T: Element>(draw: fn(Key) -> Tensor, test: impl Fn(Vec<T>)) {
    for platform in platforms() {
        let exe = platform.compile(draw, (Key::spec(),)).expect("it compiles");
        let key = Buffer::from_slice(platform, &Key::words(7), [2]).expect("it fits");
        test(exe.call((&Key(key),)).and_then(|drawn| drawn.to_vec()).expect("it runs"));
    }
}

/// Pearson's test of equally likely classes: five standard deviations above the mean.
fn are_equally_likely(classes: usize, drawn: impl Iterator<Item = usize>) {
    let mut counts = vec![0u32; classes];
    drawn.for_each(|class| counts[class] += 1);
    let expected = COUNT as f64 / classes as f64;
    let statistic: f64 = counts.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
    let freedom = classes as f64 - 1.0;
    let limit = 5.0 * (2.0 * freedom).sqrt();
    assert!((statistic - freedom).abs() < limit, "chi-square {statistic} of {freedom} +- {limit}");
}

#[test]
fn bits_and_integers_are_equally_likely() {
    million(
        |key| key.bits(DType::U8, [COUNT]),
        |bits: Vec<u8>| {
            are_equally_likely(256, bits.into_iter().map(usize::from));
        },
    );
    million(
        |key| key.bits(DType::U64, [COUNT]),
        |bits: Vec<u64>| {
            are_equally_likely(1 << 12, bits.iter().map(|&word| (word >> 52) as usize));
            are_equally_likely(1 << 12, bits.iter().map(|&word| (word & 0xFFF) as usize));
        },
    );
    million(
        |key| key.randint(DType::I32, [COUNT], -500, 499),
        |numbers: Vec<i32>| {
            are_equally_likely(999, numbers.into_iter().map(|number| (number + 500) as usize));
        },
    );
    million(
        |key| key.permutation([COUNT]),
        |numbers: Vec<i32>| {
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..COUNT as i32));
            let stayed = numbers.iter().enumerate().filter(|&(i, &number)| i == number as usize);
            assert!(stayed.count() < 20);
            // Neighbours ascend as often as not, with a third of the variance of a coin.
            let ascents = numbers.windows(2).filter(|pair| pair[0] < pair[1]).count() as f64;
            assert!((ascents - COUNT as f64 / 2.0).abs() < 5.0 * (COUNT as f64 / 12.0).sqrt());
        },
    );
}

/// The largest distance of the empirical distribution from the one with this density (Kolmogorov
/// and Smirnov), which is summed between neighbours.
fn follow(density: fn(f64) -> f64) -> impl Fn(Vec<f32>) {
    move |mut numbers| {
        assert!(numbers.iter().all(|number| number.is_finite()));
        numbers.sort_by(f32::total_cmp);
        let (mut below, mut last, mut largest) = (0.0, f64::from(numbers[0]), 0f64);
        for (i, number) in numbers.into_iter().map(f64::from).enumerate() {
            below += (number - last) * density((number + last) / 2.0);
            last = number;
            largest = largest.max((below - i as f64 / COUNT as f64).abs());
        }
        // One of 30,000 samples is farther.
        assert!(largest < 2.3 / (COUNT as f64).sqrt(), "distance {largest}");
    }
}

#[test]
fn floats_follow_their_distributions() {
    million(|key| key.uniform(DType::F32, [COUNT]), follow(|_| 1.0));
    million(
        |key| key.uniform(DType::F32, [COUNT]),
        |numbers: Vec<f32>| {
            are_equally_likely(1000, numbers.iter().map(|&number| (number * 1000.0) as usize));
        },
    );
    let normal = |x: f64| (-x * x / 2.0).exp() / (2.0 * PI).sqrt();
    million(|key| key.normal(DType::F32, [COUNT]), follow(normal));
    let cut = |x: f64| (-x * x / 2.0).exp() / (2.0 * PI).sqrt() / 0.818_594_614_120_364_6;
    million(|key| key.truncated_normal(DType::F32, [COUNT], -1, 2), follow(cut));
    million(|key| key.exponential(DType::F32, [COUNT]), follow(|x| (-x).exp()));
    million(|key| key.gumbel(DType::F32, [COUNT]), follow(|x| (-x - (-x).exp()).exp()));
    let of_2_5 = |x: f64| x.powf(1.5) * (-x).exp() / 1.329_340_388_179_137;
    million(|key| key.gamma(DType::F32, [COUNT], 2.5), follow(of_2_5));
    million(
        |key| key.gamma(DType::F32, [COUNT], 0.75),
        |numbers: Vec<f32>| {
            let mean = numbers.iter().copied().map(f64::from).sum::<f64>() / COUNT as f64;
            assert!((mean - 0.75).abs() < 5.0 * (0.75f64 / COUNT as f64).sqrt(), "mean {mean}");
        },
    );
}

#[test]
fn categories_are_drawn_by_their_probabilities() {
    let draw = |key: Key| {
        let logits = Tensor::constant(&[1f32, 2.0, 3.0, 4.0], [4]).log();
        key.categorical_of(logits, 0, [COUNT])
    };
    million(draw, |drawn: Vec<i32>| {
        for class in 0..4 {
            let p = f64::from(class + 1) / 10.0;
            let share = drawn.iter().filter(|&&i| i == class).count() as f64 / COUNT as f64;
            assert!((share - p).abs() < 5.0 * (p * (1.0 - p) / COUNT as f64).sqrt(), "{class}");
        }
    });
    million(
        |key| key.bernoulli(0.3, [COUNT]),
        |drawn: Vec<bool>| {
            let share = drawn.iter().filter(|&&is_true| is_true).count() as f64 / COUNT as f64;
            assert!((share - 0.3).abs() < 5.0 * (0.21 / COUNT as f64).sqrt(), "{share}");
        },
    );
}

#[test]
fn errors_name_the_draw() {
    type Draw = fn(Tensor) -> Tensor;
    let cases: [(Draw, &str); 9] = [
        (|x| Key(x).bits(DType::U32, [3]), "bits: a key is u32[2], not f32[a=3]"),
        (|_| Key::new(1).bits(DType::I32, [3]), "bits: draws u8, u16, u32 or u64, not i32"),
        (|_| Key::new(1).normal(DType::I32, [3]), "normal: draws bf16, f16, f32 or f64, not i32"),
        (
            |_| Key::new(1).randint(DType::F32, [3], 0, 2),
            "randint: draws integers of 8 to 64 bits, not f32",
        ),
        (|_| Key::new(1).permutation([3, 2]), "permutation: a permutation has one axis, not 2"),
        (|x| Key::new(1).fold_in(x).0, "fold_in: takes integers, not f32"),
        (
            |x| Key::new(1).choice_with(x, "a", [4], choice(false, None)),
            "choice_with: 4 different elements of axis `a` of size 3",
        ),
        (
            |x| Key::new(1).choice_with(x, "a", [4], choice(true, Some(x.slice("a", 1..)))),
            "choice_with: the probabilities are a vector of 3 floats, not f32[a=2]",
        ),
        (
            |x| Key::new(1).uniform_between(DType::F32, [("b", 2)], x, 1),
            "uniform_between: f32[a=3] does not broadcast to f32[b=2]",
        ),
    ];
    for (draw, message) in cases {
        let compiled = cpu().compile(draw, (Spec::f32([("a", 3)]),));
        let error = compiled.expect_err(message).to_string();
        assert!(error.contains(message), "{error}");
    }
}
