//! Sampling distributions, compared with the logits processors of `transformers`, and draws from
//! them.

use hloom_graph::{DType, Key, Path, Spec, Tensor, Tree, for_loop};
use hloom_nn::{Sampler, SamplerState, Sampling};
use hloom_runtime::{Buffer, Platform};
use hloom_test_support::{CPU, Optimization};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Distributions {
    logits: BTreeMap<String, Vec<f32>>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    logits: String,
    previous_tokens: Vec<i32>,
    probabilities: Vec<f64>,
    temperature: Option<f64>,
    top_k: Option<usize>,
    top_p: Option<f64>,
    min_p: Option<f64>,
    repeat_penalty: Option<f64>,
    repeat_last_n: Option<usize>,
}

impl Case {
    fn sampling(&self) -> Sampling {
        Sampling {
            temperature: self.temperature.unwrap_or(1.0),
            top_k: self.top_k.unwrap_or(0),
            top_p: self.top_p.unwrap_or(1.0),
            min_p: self.min_p.unwrap_or(0.0),
            repeat_penalty: self.repeat_penalty.unwrap_or(1.0),
            repeat_last_n: self.repeat_last_n.unwrap_or(self.previous_tokens.len()),
        }
    }
}

fn platform() -> Platform {
    CPU.clone()
}

/// The parameters of a sampler's stages.
fn values(sampling: &Sampling) -> Sampler<Buffer> {
    Sampler::new(sampling).map(&mut |path: &Path<'_>, _: Spec| {
        let value = match path.to_string().as_str() {
            "repeat_penalty" => sampling.repeat_penalty,
            "temperature" => sampling.temperature,
            "top_p" => sampling.top_p,
            _ => sampling.min_p,
        };
        Buffer::scalar(&platform(), value as f32).unwrap()
    })
}

fn read() -> Distributions {
    let file =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/sampling/distributions.json");
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

/// The probabilities of one case. `padding` adds tokens to the vocabulary, so that the other
/// algorithm for the nucleus is used.
fn probabilities(case: &Case, logits: &[f32], padding: usize) -> Vec<f32> {
    let (platform, sampling) = (platform(), case.sampling());
    // Tokens that cannot be drawn.
    let mut logits = logits.to_vec();
    logits.resize(logits.len() + padding, f32::NEG_INFINITY);
    let recent = &case.previous_tokens[case.previous_tokens.len() - sampling.recent()..];
    let specs = (
        Sampler::new(&sampling),
        Spec::f32([("vocab", logits.len())]),
        SamplerState::new(&sampling).recent,
    );
    let optimization = Optimization::of(&format!("{} {padding}", case.name));
    let exe = optimization.set(platform.compiler()).compile(
        |sampler: Sampler, logits: Tensor, recent: Option<Tensor>| {
            sampler.probabilities(logits, recent)
        },
        specs,
    );
    let logits = Buffer::from_slice(&platform, &logits, [("vocab", logits.len())]).unwrap();
    let recent = (!recent.is_empty())
        .then(|| Buffer::from_slice(&platform, recent, [("recent", recent.len())]).unwrap());
    exe.unwrap().call((&values(&sampling), &logits, &recent)).unwrap().to_vec().unwrap()
}

#[test]
fn every_filter_gives_the_distribution_of_the_reference() {
    let all = read();
    let mut failures = Vec::new();
    for case in &all.cases {
        for padding in [0, 300] {
            let found = probabilities(case, &all.logits[&case.logits], padding);
            let pairs = found.iter().zip(case.probabilities.iter().chain(std::iter::repeat(&0.0)));
            let off = pairs
                .map(|(&f, e)| (f64::from(f) - e).abs())
                .fold(0.0, |a: f64, b| if b.is_nan() { 1.0 } else { a.max(b) });
            if off > 2e-5 {
                failures.push(format!("{} with {padding} more: off by {off:.1e}", case.name));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        all.cases.len(),
        failures.join("\n")
    );
    assert!(all.cases.len() > 100);
}

/// The number of times each token is drawn in 20,000 draws, all in one program.
fn draws(sampling: &Sampling, logits: &[f32], seed: u64) -> (Vec<usize>, Vec<i32>) {
    const COUNT: usize = 20_000;
    let platform = platform();
    let program = |sampler: Sampler, logits: Tensor, key: Key| {
        let all = Tensor::zeros(DType::I32, [COUNT]);
        let (_, all) = for_loop(COUNT, (key, all), |i, (key, all)| {
            let (state, token) = sampler.pick(logits, SamplerState { key, recent: None });
            (state.key, all.dynamic_update_slice(token.reshape([1]), 0, i))
        });
        all
    };
    let specs = (Sampler::new(sampling), Spec::f32([("vocab", logits.len())]), Key::spec());
    let exe = platform.compile(program, specs).unwrap();
    let logits_buffer = Buffer::from_slice(&platform, logits, [("vocab", logits.len())]).unwrap();
    let key = Key(Buffer::from_slice(&platform, &Key::words(seed), [2]).unwrap());
    let tokens: Vec<i32> =
        exe.call((&values(sampling), &logits_buffer, &key)).unwrap().to_vec().unwrap();
    let mut counts = vec![0; logits.len()];
    for &token in &tokens {
        counts[token as usize] += 1;
    }
    (counts, tokens)
}

/// Temperatures that `f32` has not, or only below its normal numbers, which are flushed to 0.
#[test]
fn the_smallest_temperatures_select_the_largest_logit() {
    let logits = [1.0, -5.0, 30.0, 29.5, f32::NEG_INFINITY, 0.0];
    for temperature in [1e-3, 1e-10, 1e-37, 1e-39, 1e-50] {
        for (top_p, min_p) in [(1.0, 0.0), (0.9, 0.0), (1.0, 0.1)] {
            let sampling = Sampling { temperature, top_p, min_p, top_k: 0, ..Sampling::default() };
            let (counts, _) = draws(&sampling, &logits, 5);
            assert_eq!(counts, [0, 0, 20_000, 0, 0, 0], "{sampling:?}");
        }
    }
}

#[test]
fn draws_follow_their_distribution_and_repeat_with_their_seed() {
    let all = read();
    let names = [
        "usual: softmax",
        "usual: temperature=1.6",
        "usual: temperature=0.7 top_k=20 top_p=0.9",
        "usual: min_p=0.05",
    ];
    for name in names {
        let case = all
            .cases
            .iter()
            .find(|case| case.name == name)
            .unwrap_or_else(|| panic!("there is a case {name}"));
        let (counts, tokens) = draws(&case.sampling(), &all.logits[&case.logits], 42);
        let total: usize = counts.iter().sum();
        // Rare tokens are counted together, so that each class is expected at least ten times.
        let (mut statistic, mut classes, mut rest) = (0.0, 0, (0.0, 0.0));
        for (&count, &probability) in counts.iter().zip(&case.probabilities) {
            let expected = probability * total as f64;
            if probability == 0.0 {
                assert_eq!(count, 0, "{name}: a token was drawn that cannot be");
            } else if expected < 10.0 {
                rest = (rest.0 + expected, rest.1 + count as f64);
            } else {
                statistic += (count as f64 - expected).powi(2) / expected;
                classes += 1;
            }
        }
        if rest.0 > 0.0 {
            statistic += (rest.1 - rest.0).powi(2) / rest.0;
            classes += 1;
        }
        // The chi-square distribution of k degrees of freedom is nearly normal with mean k and
        // variance 2 k: five deviations above.
        let freedom = f64::from(classes - 1);
        assert!(
            statistic < freedom + 5.0 * (2.0 * freedom).sqrt(),
            "{name}: chi-square {statistic:.1} of {freedom}"
        );
        assert_eq!(draws(&case.sampling(), &all.logits[&case.logits], 42).1, tokens, "{name}");
        assert_ne!(draws(&case.sampling(), &all.logits[&case.logits], 43).1, tokens, "{name}");
    }
}

#[test]
fn a_picked_token_is_remembered() {
    let sampling =
        Sampling { temperature: 0.0, repeat_penalty: 1.5, repeat_last_n: 3, ..Sampling::default() };
    let platform = platform();
    let exe = platform.compile(
        |sampler: Sampler, logits: Tensor, state: SamplerState| {
            let (state, token) = sampler.pick(logits, state);
            (state, token)
        },
        (Sampler::new(&sampling), Spec::f32([("vocab", 4)]), SamplerState::new(&sampling)),
    );
    let logits = Buffer::from_slice(&platform, &[3.0f32, 2.5, -1.0, 1.0], [("vocab", 4)]).unwrap();
    let mut state = SamplerState {
        key: Key(Buffer::from_slice(&platform, &Key::words(7), [2]).unwrap()),
        recent: Some(Buffer::from_slice(&platform, &[2i32, 2, 2], [("recent", 3)]).unwrap()),
    };
    let exe = exe.unwrap();
    let mut picked = Vec::new();
    for _ in 0..4 {
        let (next, token) = exe.call((&values(&sampling), &logits, &state)).unwrap();
        picked.push(token.item::<i32>().unwrap());
        state = next;
    }
    // 0 wins and is penalized to 2, below 1, which is penalized to 1.67; both remain in the window.
    assert_eq!(picked, [0, 1, 0, 0]);
    assert_eq!(state.recent.unwrap().to_vec::<i32>().unwrap(), [1, 0, 0]);
}

#[test]
fn a_negative_recent_token_penalizes_nothing() {
    let sampling =
        Sampling { temperature: 1.0, repeat_penalty: 2.0, repeat_last_n: 3, ..Sampling::default() };
    let platform = platform();
    let specs = (Sampler::new(&sampling), Spec::f32([("vocab", 3)]), Spec::i32([("recent", 3)]));
    let exe = platform.compile(
        |sampler: Sampler, logits: Tensor, recent: Tensor| {
            sampler.probabilities(logits, Some(recent))
        },
        specs,
    );
    let exe = exe.unwrap();
    let logits = Buffer::from_slice(&platform, &[1f32, 1.0, 2.0], [("vocab", 3)]).unwrap();
    let of = |recent: [i32; 3]| {
        let recent = Buffer::from_slice(&platform, &recent, [("recent", 3)]).unwrap();
        exe.call((&values(&sampling), &logits, &recent)).unwrap().to_vec::<f32>().unwrap()
    };
    // The last token is penalized once where it is listed, in any order, and not by -1.
    assert_eq!(of([2, -1, -1]), of([-1, -1, 2]));
    let [plain, penalized] = [of([-1, -1, -1]), of([2, -1, -1])];
    assert!(plain[2] > 1.5 * plain[0], "{plain:?}");
    assert!((penalized[2] - penalized[0]).abs() < 1e-6, "{penalized:?}");
}

#[test]
fn options_out_of_range_are_named() {
    let check = |sampling: Sampling| sampling.check().map_err(|error| error.to_string());
    assert_eq!(check(Sampling::default()), Ok(()));
    let negative = Sampling { temperature: -1.0, ..Sampling::default() };
    assert_eq!(check(negative), Err("temperature is -1; it must be between 0 and 10000".into()));
    let nothing = Sampling { top_p: f64::NAN, ..Sampling::default() };
    assert_eq!(check(nothing), Err("top_p is NaN; it must be between 0 and 1".into()));
    let zero = Sampling { repeat_penalty: 0.0, ..Sampling::default() };
    assert!(check(zero).is_err());
}
