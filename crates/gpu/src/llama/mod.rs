//! A Llama of random weights, next to JAX's same function and the bandwidth of the memory.
//!
//! Both hold their own weights and alternate in rounds, so that a change of the clock rate or the
//! temperature meets both. They compile one after the other: compilers measure kernels.

mod bandwidth;
mod compile;
mod model;
mod runner;
mod weights;

use crate::{
    Result, Settings,
    peer::Peer,
    results::{Better, Measurement, Results},
};
use bandwidth::Copy;
use hloom::Platform;
use model::Case;
use runner::{Programs, Reading, Runner};
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

#[derive(clap::Args)]
pub struct Options {
    /// Compiles for a GPU that need not be here, such as `cuda:h200`, and runs nothing.
    #[arg(long, value_name = "TARGET")]
    compile: Option<String>,
    /// The folder for the programs that `--compile` makes.
    #[arg(long, requires = "compile")]
    dump: Option<PathBuf>,
}

/// The rounds that alternate with the peer.
const ROUNDS: usize = 3;
/// The measurements of a round, of which the median counts.
const REPEATS: usize = 5;
/// The time within which the peer answers.
const LIMIT: Duration = Duration::from_secs(60);
/// The part of the memory that each of the two processes takes.
const MEMORY_FRACTION: f64 = 0.4;
/// The largest root mean square of the differences between the logits of both programs, divided by
/// that of the logits: sums of bf16 products in another order differ by about 0.01 after 32 layers.
const TOLERANCE: f64 = 0.05;

/// Seconds of both programs in each round.
#[derive(Default)]
struct Times {
    own: Vec<f64>,
    peer: Vec<f64>,
}

pub fn run(settings: &Settings, options: &Options, results: &mut Results) -> Result {
    let case = Case::new(settings.quick)?;
    if let Some(target) = &options.compile {
        return compile::run(target, options.dump.as_deref(), settings, &case);
    }
    let clock = Instant::now();
    let stage = |name: &str| println!("{:6.1} s: {name}", clock.elapsed().as_secs_f64());
    let platform = open(settings)?;
    results.set_card(&platform);
    stage("the platform is open");
    let mut peer = settings.python.as_ref().and_then(|python| {
        let started = start_peer(settings, &case, platform.name(), python);
        started.map_err(|error| eprintln!("{error}")).ok()
    });
    let programs = Programs::compile(&platform, &case)?;
    let [prefill, decode] = programs.times.map(|time| time.as_secs_f64());
    stage(&format!("compiled: prefill {prefill:.1} s, decode {decode:.1} s"));
    let mut runner = programs.bind(&platform, &case)?;
    stage("the weights are made");
    runner.prefill()?;
    runner.decode(Reading::AtTheEnd)?;
    stage("warm");
    let mut bandwidth = 0.0_f64;
    match copy_bandwidth(&platform, settings.quick) {
        Ok(measured) => bandwidth = measured,
        Err(error) => eprintln!("the copy failed: {error}"),
    }
    stage("the bandwidth is measured");
    let compiled = asked(&mut peer, |peer| peer.number("compile", "seconds", 2 * LIMIT));
    stage("the peer is ready");
    let value = prefill + decode;
    let bench = format!("gpu/{}/compile", case.name);
    let target = None;
    let reference = compiled;
    results.measure(&Measurement { bench: &bench, value, unit: "s", reference, target })?;
    if peer.is_some() {
        let bench = format!("gpu/{}/agrees", case.name);
        let outcome = asked_result(&mut peer, |peer| agree(&mut runner, peer, &case));
        results.check(&bench, outcome)?;
        stage("the logits are compared");
    }
    let mut times: [Times; 3] = Default::default();
    for round in 1..=ROUNDS {
        measure_round(&mut runner, &mut peer, &mut times)?;
        stage(&format!("round {round}"));
    }
    if let Ok(measured) = copy_bandwidth(&platform, settings.quick) {
        bandwidth = bandwidth.max(measured);
    }
    report(&case, &times, bandwidth, results)?;
    stage("done");
    Ok(())
}

/// The platform, with a part of the memory that leaves as much for the peer.
fn open(settings: &Settings) -> Result<Platform> {
    let builder = Platform::builder().plugin(&settings.platform);
    if settings.platform == "cpu" {
        return Ok(builder.build()?);
    }
    Ok(builder.client_option("memory_fraction", MEMORY_FRACTION as f32).build()?)
}

fn start_peer(
    settings: &Settings,
    case: &Case,
    platform: &str,
    python: &std::path::Path,
) -> Result<Peer> {
    let numbers = [case.positions, case.prompt, case.steps].map(|number| number.to_string());
    let arguments = [&[case.json.to_owned()], &numbers[..]].concat();
    let fraction = MEMORY_FRACTION.to_string();
    let variables = [("JAX_PLATFORMS", platform), ("XLA_PYTHON_CLIENT_MEM_FRACTION", &fraction)];
    Peer::start(python, &settings.bundle.join("peers/llama_jax.py"), &arguments, &variables)
}

/// What a peer answers; after an error it is not asked again.
fn asked<T>(peer: &mut Option<Peer>, ask: impl FnOnce(&mut Peer) -> Result<T>) -> Option<T> {
    asked_result(peer, ask).ok()
}

fn asked_result<T>(peer: &mut Option<Peer>, ask: impl FnOnce(&mut Peer) -> Result<T>) -> Result<T> {
    let Some(living) = peer else { return Err("there is no peer".into()) };
    let answer = ask(living);
    if let Err(error) = &answer {
        eprintln!("{error}");
        *peer = None;
    }
    answer
}

fn copy_bandwidth(platform: &Platform, quick: bool) -> Result<f64> {
    Copy::new(platform, quick)?.measure()
}

/// Compares the logits after the prompt and after the last step.
fn agree(runner: &mut Runner, peer: &mut Peer, case: &Case) -> Result {
    let first = runner.logits()?;
    let (tokens, last) = runner.tokens()?;
    let file = std::env::temp_dir().join(format!("hloom-gpu-logits-{}", std::process::id()));
    std::fs::write(&file, serde_json::to_string(&tokens)?)?;
    let answer = peer.ask(&format!("logits {}", file.display()), LIMIT);
    let bytes = std::fs::read(&file);
    drop(std::fs::remove_file(&file));
    answer?;
    let bytes = bytes?;
    let numbers = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let numbers: Vec<f32> = numbers.collect();
    let vocabulary = case.config.vocab_size;
    if numbers.len() != 2 * vocabulary || first.len() != vocabulary || last.len() != vocabulary {
        return Err("the peer wrote another number of logits".into());
    }
    let mut problems = Vec::new();
    let (after_prompt, after_steps) = numbers.split_at(vocabulary);
    for (own, other, name) in
        [(&first, after_prompt, "the prompt"), (&last, after_steps, "the last step")]
    {
        let square = |x: f32| f64::from(x) * f64::from(x);
        let difference: f64 = own.iter().zip(other).map(|(a, b)| square(a - b)).sum();
        let whole: f64 = other.iter().map(|b| square(*b)).sum();
        let relative = (difference / whole).sqrt();
        println!("logits after {name}: relative difference {relative:.5}, {:?}", &own[..4]);
        // Not a number is a problem too.
        if !(relative <= TOLERANCE) {
            problems.push(format!("{relative:.4} after {name}"));
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(format!("the logits differ by {}", problems.join(", ")).into()),
    }
}

fn measure_round(
    runner: &mut Runner,
    peer: &mut Option<Peer>,
    [prefill, decode, read]: &mut [Times; 3],
) -> Result {
    let own = |runner: &mut Runner, measure: fn(&mut Runner) -> Result<f64>| -> Result<f64> {
        let times: Result<Vec<f64>> = (0..REPEATS).map(|_| measure(runner)).collect();
        let times = times?;
        println!("own: {times:.6?}");
        Ok(median(&times))
    };
    prefill.own.push(own(runner, Runner::prefill)?);
    decode.own.push(own(runner, |runner| runner.decode(Reading::AtTheEnd))?);
    read.own.push(own(runner, |runner| runner.decode(Reading::EachStep))?);
    for (times, request) in [(prefill, "prefill"), (decode, "decode"), (read, "decode_read")] {
        let request = format!("{request} {REPEATS}");
        times.peer.extend(asked(peer, |peer| peer.number(&request, "seconds", LIMIT)));
    }
    Ok(())
}

fn report(
    case: &Case,
    [prefill, decode, read]: &[Times; 3],
    bandwidth: f64,
    results: &mut Results,
) -> Result {
    let target = Some((Better::Higher, 0.97));
    let rows = [
        ("decode", decode, case.steps, target),
        ("decode_read", read, case.steps, target),
        (&format!("prefill_{}", case.prompt), prefill, case.prompt, target),
    ];
    for (name, times, tokens, target) in rows {
        let bench = format!("gpu/{}/{name}", case.name);
        let speed = |seconds: f64| tokens as f64 / seconds;
        let peer = |pick: fn(&[f64]) -> f64| (!times.peer.is_empty()).then(|| pick(&times.peer));
        let picks: [(&str, fn(&[f64]) -> f64); 3] =
            [("", median), ("/min", largest), ("/max", smallest)];
        for (suffix, pick) in picks {
            results.measure(&Measurement {
                bench: &format!("{bench}{suffix}"),
                value: speed(pick(&times.own)),
                unit: "tokens/s",
                reference: peer(pick).map(speed),
                target: target.filter(|_| suffix.is_empty()),
            })?;
        }
    }
    let seconds = median(&decode.own) / case.steps as f64;
    results.measure(&Measurement {
        bench: &format!("gpu/{}/decode_bandwidth", case.name),
        value: case.bytes_per_token() / seconds / 1e9,
        unit: "GB/s",
        reference: (bandwidth > 0.0).then_some(bandwidth / 1e9),
        target: Some((Better::Higher, 0.85)),
    })
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn largest(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn smallest(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}
