//! Random numbers: the bits of the generator, the numbers derived from them, and their
//! distribution.

use super::table::{check, rows};
use crate::{
    platforms::platforms,
    reference::{EXACT, ulps},
};
use hloom::prelude::*;

#[test]
fn random_numbers_match() {
    check(
        "random",
        &rows![
            "bits u8", EXACT, [state] => RandomState(state).bits(DType::U8, [5, 7]);
            "bits u16", EXACT, [state] => RandomState(state).bits(DType::U16, [5, 7]);
            "bits u32", EXACT, [state] => RandomState(state).bits(DType::U32, [5, 7]);
            "bits u64", EXACT, [state] => RandomState(state).bits(DType::U64, [5, 7]);
            "bits scalar", EXACT, [state] => RandomState(state).bits(DType::U32, [] as [usize; 0]);
            "bits none", EXACT, [state] => RandomState(state).bits(DType::U32, [0, 3]);
            "seed 42", EXACT, [] => RandomState::seed(42).bits(DType::U32, [4]);
            "uniform", EXACT, [state] => RandomState(state).uniform([5, 7]);
            "normal", ulps(16).of_largest(), [state] => RandomState(state).normal([5, 7]);
            "gumbel", ulps(16).of_largest(), [state] => RandomState(state).gumbel([5, 7]);
        ],
    );
}

/// Mean, variance and the number of values below `quarter`, the first quartile of the distribution.
fn moments(values: &[f32], quarter: f64) -> [f64; 3] {
    let count = values.len() as f64;
    let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / count;
    let variance = values.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / count;
    let below = values.iter().filter(|&&v| f64::from(v) < quarter).count() as f64 / count;
    [mean, variance, below]
}

#[test]
fn random_numbers_are_distributed_as_they_say() {
    const COUNT: usize = 100_000;
    let draw = |state: RandomState| {
        let (state, uniform) = state.uniform([COUNT]);
        let (state, normal) = state.normal([COUNT]);
        let (state, gumbel) = state.gumbel([COUNT]);
        (state, uniform, normal, gumbel)
    };
    for platform in platforms() {
        let exe = platform.compile(draw, (RandomState::spec(),)).unwrap();
        let first = RandomState(Buffer::from_slice(platform, &[7u64, 0], [2]).unwrap());
        let (next, uniform, normal, gumbel) = exe.call((&first,)).unwrap();
        let (_, again, ..) = exe.call((&next,)).unwrap();
        let quarter_of_gumbel = -(4f64.ln()).ln();
        let pi = std::f64::consts::PI;
        let euler = 0.577_215_664_901_532_9;
        for (name, values, quarter, [mean, variance]) in [
            ("uniform", &uniform, 0.25, [0.5, 1.0 / 12.0]),
            ("normal", &normal, -0.674_489_750_196_081_7, [0.0, 1.0]),
            ("gumbel", &gumbel, quarter_of_gumbel, [euler, pi * pi / 6.0]),
        ] {
            let values = values.to_vec::<f32>().unwrap();
            assert!(values.iter().all(|v| v.is_finite()), "{name}");
            let found = moments(&values, quarter);
            // Five standard errors; those of a variance are less than 2.5 variances over the root
            // of this count.
            let root = (COUNT as f64).sqrt();
            let limits =
                [5.0 * variance.sqrt() / root, 5.0 * 2.5 * variance / root, 5.0 * 0.44 / root];
            for ((found, expected), limit) in
                found.into_iter().zip([mean, variance, 0.25]).zip(limits)
            {
                assert!(
                    (found - expected).abs() < limit,
                    "{name}: {found}, expected {expected} within {limit}"
                );
            }
        }
        let uniform = uniform.to_vec::<f32>().unwrap();
        assert!(uniform.iter().all(|v| (0.0..1.0).contains(v)));
        assert_ne!(uniform, again.to_vec::<f32>().unwrap(), "the next state gives other numbers");
    }
}
