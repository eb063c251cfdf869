//! Random programs, most of them invalid: each returns an error that reports the problem and its
//! location, or lowers and compiles. Nothing panics.
//!
//! All programs are traced and lowered. A sample of them is compiled, many as one;
//! `HLOOM_TEST_PROGRAMS` sets the size of the sample (all: 20000). `HLOOM_TEST_SEEDS=5..9` runs
//! these seeds only, and prints which programs are being compiled: needed when a plugin aborts the
//! process.

mod control;
mod generator;
mod ops;
mod windows;

use crate::platforms::cpu;
use generator::Generator;
use hloom::{
    Spec, Tensor, TraceError,
    graph::{Graph, TraceScope},
};
use hloom_stablehlo::{Context, LowerOptions, lower};
use std::{
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

const PROGRAMS: u64 = 20_000;
const COMPILED: usize = 400;
/// Programs compiled as one.
const TOGETHER: usize = 50;

/// Ops that have no operands, or none yet when their error is found.
const WITHOUT_OPERANDS: [&str; 7] =
    ["Spec", "constant", "full", "scalar", "iota", "concatenate", "permutation"];

/// Adds the program of a seed to a trace; returns its results.
fn program(seed: u64, trace: &TraceScope) -> Vec<Tensor> {
    let generator = Generator::new(seed);
    let parameter =
        |(i, spec): (usize, Spec)| trace.parameter(format!("s{seed}.x{i}"), &spec, false);
    let mut pool: Vec<Tensor> = generator.specs().into_iter().enumerate().map(parameter).collect();
    ops::extend(&generator, &mut pool, 2);
    pool
}

/// Programs of several seeds as one graph.
fn graph(seeds: &[u64]) -> Result<Graph, TraceError> {
    let trace = TraceScope::begin("random");
    let results = seeds.iter().flat_map(|&seed| program(seed, &trace)).enumerate();
    let named = results.map(|(i, tensor)| (format!("y{i}"), tensor)).collect();
    trace.finish(named)
}

/// The defect of an error, if any.
fn complaint(error: &TraceError) -> Option<String> {
    let here = Path::new(file!()).parent()?;
    let text = error.to_string();
    let place = format!("\n  at {}", error.location);
    if error.op.is_empty() || error.message.is_empty() {
        Some("no op or no message".into())
    } else if !Path::new(error.location.file()).starts_with(here) {
        Some("the location is not the caller's".into())
    } else if error.operands.is_empty()
        && !WITHOUT_OPERANDS.contains(error.within.last().unwrap_or(&error.op))
    {
        Some("no operands".into())
    } else if !text.starts_with(&format!("{}: {}", error.op, error.message))
        || !text.contains(&place)
    {
        Some("another form".into())
    } else {
        let shown = error.operands.iter().all(|operand| text.contains(&operand.shape.to_string()));
        (!shown).then(|| "an operand's shape is not shown".into())
    }
}

/// Collects the seeds of programs whose batch does not compile on its own, with the plugin's error.
fn refused(seeds: &[u64], found: &mut Vec<String>) {
    let compiled = catch_unwind(AssertUnwindSafe(|| {
        let graph = graph(seeds).map_err(|error| error.to_string())?;
        cpu().compiler().compile_graph(&graph).map(|_| ()).map_err(|error| error.to_string())
    }));
    let message = match compiled {
        Ok(Ok(())) => return,
        Ok(Err(message)) => message,
        Err(_) => "a panic".into(),
    };
    match seeds {
        [seed] => {
            let text =
                graph(seeds).map_or_else(|error| error.to_string(), |graph| graph.to_string());
            found.push(format!("seed {seed}: {message}\n{text}"));
        }
        _ => {
            let (left, right) = seeds.split_at(seeds.len() / 2);
            refused(left, found);
            refused(right, found);
        }
    }
}

/// The seeds that `HLOOM_TEST_SEEDS` names.
fn wanted_seeds() -> Option<Range<u64>> {
    let text = std::env::var("HLOOM_TEST_SEEDS").ok()?;
    let (from, to) = text.split_once("..").expect("seeds have the form `from..to`");
    Some(from.parse().expect("a seed is a number")..to.parse().expect("a seed is a number"))
}

#[test]
fn random_programs_are_refused_or_compile() {
    let context = Context::new();
    let mut problems = Vec::new();
    let mut accepted = Vec::new();
    let mut refused_ops = std::collections::BTreeMap::<&str, usize>::new();
    let wanted = wanted_seeds();
    let narrowed = wanted.is_some();
    for seed in wanted.unwrap_or(0..PROGRAMS) {
        let outcome = catch_unwind(AssertUnwindSafe(|| match graph(&[seed]) {
            Ok(graph) => {
                let lowered = lower(&context, &graph, &LowerOptions::default());
                Ok(lowered.map(|_| ()).map_err(|error| format!("{error}\n{graph}")))
            }
            Err(error) => Err(error),
        }));
        match outcome {
            Ok(Ok(Ok(()))) => accepted.push(seed),
            Ok(Ok(Err(message))) => problems.push(format!("seed {seed} does not lower: {message}")),
            Ok(Err(error)) => {
                *refused_ops.entry(error.op).or_default() += 1;
                if let Some(complaint) = complaint(&error) {
                    problems.push(format!("seed {seed}: {complaint}\n{error}"));
                }
            }
            Err(_) => problems.push(format!("seed {seed} panics")),
        }
    }
    if std::env::var_os("HLOOM_TEST_REPORT").is_some() {
        eprintln!(
            "{} of {PROGRAMS} programs are accepted; refused: {refused_ops:?}",
            accepted.len()
        );
    }
    let count = std::env::var("HLOOM_TEST_PROGRAMS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(COMPILED);
    let count_accepted = accepted.len();
    accepted.truncate(count);
    for seeds in accepted.chunks(TOGETHER) {
        if narrowed {
            eprintln!("compiling {seeds:?}");
        }
        refused(seeds, &mut problems);
    }
    let shown = problems.iter().take(20).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(problems.is_empty(), "{} problems\n{shown}", problems.len());
    if narrowed {
        return;
    }
    assert!(count_accepted as u64 > PROGRAMS / 5, "only {count_accepted} programs are accepted");
    assert!(refused_ops.len() > 40, "errors are found in few ops: {refused_ops:?}");
}
