//! A model of the Llama family that converses on the terminal.
//!
//! ```text
//! cargo run --release --example llama
//! cargo run --release --example llama -- --model HuggingFaceTB/SmolLM2-135M-Instruct \
//!     --prompt "What is a compiler?"
//! ```
//! Without `--model` it runs the small storyteller in `examples/llama/story`.

#[macro_use]
#[path = "../common/stdout.rs"]
mod stdout;

mod args;
mod bench;
mod chat;
#[path = "../common/compiling.rs"]
mod compiling;
mod interrupt;
mod observe;
mod report;
mod talker;

use args::Args;
use clap::Parser;
use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

/// An error; the exit code is 2 for an invalid command line and 1 otherwise.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Model(#[from] hloom_models::Error),
    #[error(transparent)]
    Hloom(#[from] hloom::Error),
    #[error("{0}")]
    Other(String),
}

type Result<T, E = Failure> = std::result::Result<T, E>;

fn main() -> ExitCode {
    let started = Instant::now();
    // The weights are mapped: a file that is overwritten meanwhile crashes the process.
    hloom::io::explain_bus_errors();
    let args = Args::parse();
    let trace = match observe::start(&args) {
        Ok(trace) => trace,
        Err(failure) => return fail(&failure),
    };
    let result = run(&args, started);
    // The trace is written before the process ends, also after a failure.
    let traced = trace.map_or(Ok(()), observe::Trace::finish);
    match (result, traced) {
        (Ok(()), Ok(())) => ExitCode::SUCCESS,
        (Ok(()), Err(failure)) | (Err(failure), Ok(())) => fail(&failure),
        (Err(failure), Err(other)) => {
            fail(&other);
            fail(&failure)
        }
    }
}

fn run(args: &Args, started: Instant) -> Result<()> {
    let mut talker = talker::Talker::open(args)?;
    if args.bench {
        return bench::run(args, &mut talker);
    }
    if args.one_shot() {
        chat::one_shot(args, &mut talker, started)
    } else {
        chat::interactive(args, &mut talker)
    }
}

fn fail(failure: &Failure) -> ExitCode {
    eprintln!("error: {failure}");
    match failure {
        Failure::Usage(_) => ExitCode::from(2),
        _ => ExitCode::FAILURE,
    }
}

/// Units of `count` per second.
fn rate(count: usize, time: Duration) -> f64 {
    if time.is_zero() { 0.0 } else { count as f64 / time.as_secs_f64() }
}
