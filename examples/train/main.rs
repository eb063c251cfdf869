//! Trains the storyteller of `--example llama` on texts that a grammar generates.
//!
//! ```sh
//! cargo run --release --example train
//! cargo run --release --example train -- --devices 4    # each step on four devices
//! cargo run --release --example llama -- --model target/story/model
//! ```
//! It prints held-out losses and samples as it learns. Ctrl-C writes a checkpoint and ends; the
//! same command resumes there, and ends with the same bits as one that was never stopped.

#[macro_use]
#[path = "../common/stdout.rs"]
mod stdout;

mod args;
#[path = "../common/compiling.rs"]
mod compiling;
mod model;
mod rows;
mod run;
mod sample;
mod story;

use clap::Parser;
use std::{
    process::{self, ExitCode},
    sync::atomic::{AtomicBool, Ordering},
};

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// Whether Ctrl-C was pressed.
static STOPPED: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    let args = args::Args::parse();
    compiling::start_with_logs();
    let handler = || {
        // At the second signal, ends without a checkpoint. The status is the one that a shell
        // reports for this signal.
        if STOPPED.swap(true, Ordering::SeqCst) {
            process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        tracing::warn!(%error, "Ctrl-C ends the run without a checkpoint");
    }
    let done = if args.evaluate { run::evaluate(&args) } else { run::train(&args, &STOPPED) };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
