//! A Llama of random weights, next to JAX's same function and the bandwidth of the memory.
//!
//! Both hold their own weights and alternate in rounds, so that a change of the clock rate or the
//! temperature meets both. They compile one after the other, because compilers measure kernels.

mod agreement;
mod bandwidth;
mod compile;
mod model;
mod rounds;
mod runner;
mod soak;
pub mod weights;

use crate::{
    Result, Settings,
    peer::Peer,
    results::{Better, Measurement, Results},
};
use bandwidth::Copy;
use clap::ValueEnum;
use hloom::Platform;
use model::{Case, CaseName};
use rounds::{Times, median};
use runner::{Programs, Reading, Runner};
use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

#[derive(clap::Args)]
pub struct Options {
    /// The model and the sizes; all of them with `--long`.
    #[arg(long, value_enum, default_value = "8b")]
    case: CaseName,
    /// The framework that it is compared with.
    #[arg(long, value_enum, default_value = "jax")]
    peer: Framework,
    /// Options of XLA, `NAME=VALUE NAME=VALUE`, or `kernels=decode`, with which the programs are
    /// measured as well; may be repeated.
    #[arg(long, value_name = "OPTIONS")]
    variant: Vec<String>,
    /// Runs the programs for so many seconds more, and checks that tokens and memory stay the same.
    #[arg(long, value_name = "SECONDS")]
    soak: Option<u64>,
    /// Compiles for a GPU that need not be here, such as `cuda:h200`, and runs nothing.
    #[arg(long, value_name = "TARGET")]
    compile: Option<String>,
    /// The folder for the programs that `--compile` makes.
    #[arg(long, requires = "compile")]
    dump: Option<PathBuf>,
}

/// A framework in which the same model is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Framework {
    Jax,
    /// PyTorch with CUDA graphs, and activations of bf16.
    Torch,
}

impl Framework {
    fn script(self) -> &'static str {
        match self {
            Framework::Jax => "peers/llama_jax.py",
            Framework::Torch => "peers/llama_torch.py",
        }
    }

    /// The largest difference between the logits of both, as [`agreement`] computes it: residuals
    /// of bf16 lose more than sums in another order.
    fn tolerance(self) -> f64 {
        match self {
            Framework::Jax => agreement::TOLERANCE,
            Framework::Torch => 0.15,
        }
    }
}

/// The rounds that alternate with the peer.
const ROUNDS: usize = 3;
/// The time for everything: what is left for the peer's answers is limited by it.
const BUDGET: Duration = Duration::from_secs(135);
/// The length of the soak of `--long`, which one case runs.
const SOAK_SECONDS: u64 = 60;
/// The part of the memory that each of the two processes takes.
const MEMORY_FRACTION: f32 = 0.4;
/// The part of the bandwidth of a copy at which decode is expected to read the weights.
const BANDWIDTH_TARGET: f64 = 0.85;

/// Options that may make better code than the defaults, in the order in which they are tried in the
/// time that is left. Hloom's own kernels for decode; and of XLA: products of the same activation
/// are merged also for large weights, independent kernels run at the same time, cuBLAS computes all
/// products.
const VARIANTS: [&str; 4] = [
    "kernels=decode",
    "xla_gpu_dot_merger_threshold_mb=1000",
    "xla_gpu_command_buffer_scheduling_mode=CONCURRENT",
    "xla_gpu_enable_triton_gemm=false",
];

/// The time since the part began.
struct Clock(Instant);

impl Clock {
    fn stage(&self, name: &str) {
        println!("{:6.1} s: {name}", self.0.elapsed().as_secs_f64());
    }

    fn left(&self) -> Duration {
        BUDGET.saturating_sub(self.0.elapsed())
    }
}

pub fn run(settings: &Settings, options: &Options, results: &mut Results) -> Result {
    if !settings.long {
        return run_case((options.case, options.peer), settings, options, results);
    }
    let mut failed = Vec::new();
    let cases = CaseName::value_variants().iter().map(|&name| (name, Framework::Jax));
    for case in cases.chain([(CaseName::Llama8b, Framework::Torch)]) {
        if let Err(error) = run_case(case, settings, options, results) {
            failed.push(format!("{case:?}: {error}"));
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ").into()) }
}

fn run_case(
    (name, framework): (CaseName, Framework),
    settings: &Settings,
    options: &Options,
    results: &mut Results,
) -> Result {
    let mut case = Case::new(name, settings.quick)?;
    if framework == Framework::Torch {
        case.name += "-torch";
    }
    if let Some(target) = &options.compile {
        return compile::run(target, options.dump.as_deref(), settings, &case);
    }
    let clock = Clock(Instant::now());
    let platform = open(settings)?;
    results.set_card(&platform);
    clock.stage("the platform is open");
    let peer = settings.python.as_deref().map(|python| {
        let script = settings.bundle.join(framework.script());
        start_peer(python, &script, &case, platform.name())
    });
    let programs = Programs::compile(&platform, &case, "")?;
    let [prefill, decode] = programs.times.map(|time| time.as_secs_f64());
    clock.stage(&format!("compiled: prefill {prefill:.1} s, decode {decode:.1} s"));
    let mut runner = programs.bind(&platform, &case)?;
    clock.stage("the weights are made");
    runner.prefill()?;
    runner.decode(Reading::AtTheEnd)?;
    clock.stage("warm");
    results.check(&bench(&case, "prefill_and_decode"), agreement::with_itself(&mut runner))?;
    alone(&platform, settings, &case, &mut runner, results)?;
    clock.stage("measured alone");
    if let Some(peer) = peer {
        let own = (&case, &mut runner, prefill + decode);
        let compared = beside(peer, framework.tolerance(), &clock, own, results);
        results.check(&bench(&case, "peer"), compared)?;
        clock.stage("compared with the peer");
    }
    let longest = settings.long && (name, framework) == (CaseName::Llama8b, Framework::Jax);
    if let Some(seconds) = options.soak.or(longest.then_some(SOAK_SECONDS)) {
        let outcome = soak::run(&platform, &mut runner, Duration::from_secs(seconds));
        results.check(&bench(&case, "soak"), outcome)?;
        clock.stage("soaked");
    }
    let usual = if platform.name() == "cuda" { &VARIANTS[..] } else { &[] };
    let asked = options.variant.iter().map(String::as_str);
    for options in asked.chain(usual.iter().copied()) {
        // The compilation is most of a variant, and the autotuner may try more with it.
        if clock.left().as_secs_f64() < 2.0 * (prefill + decode) {
            println!("no time for {options}");
            continue;
        }
        let measured = variant(&platform, &case, options, &mut runner, results);
        results.check(&bench(&case, &format!("with {options}")), measured)?;
        clock.stage(options);
    }
    clock.stage("done");
    Ok(())
}

fn bench(case: &Case, name: &str) -> String {
    format!("gpu/{}/{name}", case.name)
}

/// The platform, with a part of the memory that leaves as much for the peer.
pub fn open(settings: &Settings) -> Result<Platform> {
    let builder = Platform::builder().plugin(&settings.platform);
    if settings.platform == "cpu" {
        return Ok(builder.build()?);
    }
    Ok(builder.client_option("memory_fraction", MEMORY_FRACTION).build()?)
}

fn start_peer(python: &Path, script: &Path, case: &Case, platform: &str) -> Result<Peer> {
    let numbers =
        [case.positions, case.prompt, case.steps, case.batch].map(|number| number.to_string());
    let arguments = [&[case.json.to_owned()], &numbers[..]].concat();
    let fraction = MEMORY_FRACTION.to_string();
    let variables = [("JAX_PLATFORMS", platform), ("XLA_PYTHON_CLIENT_MEM_FRACTION", &fraction)];
    Peer::start(python, script, &arguments, &variables)
}

/// Measures this process only, so that there are results if the peer fails.
fn alone(
    platform: &Platform,
    settings: &Settings,
    case: &Case,
    runner: &mut Runner,
    results: &mut Results,
) -> Result {
    let mut times = Times::default();
    times.add_own(runner)?;
    let seconds = median(&times.decode) / case.steps as f64;
    let copied = Copy::new(platform, settings.quick).and_then(|copy| copy.measure());
    if let Err(error) = &copied {
        eprintln!("the bandwidth is not known: {error}");
    }
    results.measure(&Measurement {
        bench: &bench(case, "decode_bandwidth"),
        value: case.bytes_per_token() / seconds / 1e9,
        unit: "GB/s",
        reference: copied.ok().map(|bytes| bytes / 1e9),
        target: Some((Better::Higher, BANDWIDTH_TARGET)),
    })?;
    let mut row = |name, value| {
        let (bench, unit) = (bench(case, name), "tokens/s");
        results.measure(&Measurement { bench: &bench, value, unit, reference: None, target: None })
    };
    row("decode/alone", case.batch as f64 / seconds)?;
    row(
        &format!("prefill_{}/alone", case.prompt),
        (case.batch * case.prompt) as f64 / median(&times.prefill),
    )
}

/// Measures the programs as compiled with options.
fn variant(
    platform: &Platform,
    case: &Case,
    options: &str,
    runner: &mut Runner,
    results: &mut Results,
) -> Result {
    runner.replace(&Programs::compile(platform, case, options)?)?;
    runner.prefill()?;
    runner.decode(Reading::AtTheEnd)?;
    agreement::with_itself(runner)?;
    let mut times = Times::default();
    times.add_own(runner)?;
    let tokens = case.batch as f64;
    for (name, value) in [
        ("decode", tokens * case.steps as f64 / median(&times.decode)),
        ("prefill", tokens * case.prompt as f64 / median(&times.prefill)),
    ] {
        let bench = bench(case, &format!("{name}/with {options}"));
        let (unit, reference, target) = ("tokens/s", None, None);
        results.measure(&Measurement { bench: &bench, value, unit, reference, target })?;
    }
    Ok(())
}

/// Compares results and times with the peer's.
fn beside(
    peer: Result<Peer>,
    tolerance: f64,
    clock: &Clock,
    (case, runner, compile_seconds): (&Case, &mut Runner, f64),
    results: &mut Results,
) -> Result {
    let mut peer = peer?;
    let reference = peer.number("compile", "seconds", clock.left())?;
    clock.stage("the peer is ready");
    results.measure(&Measurement {
        bench: &bench(case, "compile"),
        value: compile_seconds,
        unit: "s",
        reference: Some(reference),
        target: None,
    })?;
    let agrees = agreement::with_peer(runner, &mut peer, tolerance, clock.left());
    results.check(&bench(case, "agrees"), agrees)?;
    clock.stage("the logits are compared");
    let (mut own, mut other) = (Times::default(), Times::default());
    let mut outcome = Ok(());
    for round in 1..=ROUNDS {
        own.add_own(runner)?;
        outcome = other.add_of(&mut peer, clock.left());
        clock.stage(&format!("round {round}"));
        if outcome.is_err() {
            break;
        }
    }
    own.report(&other, case, results)?;
    outcome
}
