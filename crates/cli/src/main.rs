//! `hloom`: shows plugins and caches of this machine, and inspects, compiles and runs programs in
//! files.
//!
//! - **Output.** Results are written to standard output, everything else to standard error. A
//!   reader of the output that stops early ends the command without an error.
//! - **Files are not trusted.** They are read by safe functions, which execute no part of them, and
//!   their texts are printed without control characters. Programs run in a sandbox, whose child is
//!   this command. Native code is run only on request.

#![deny(unsafe_code)]

mod bench;
mod cache;
mod compile;
mod completions;
mod doctor;
mod failure;
mod file_kind;
mod inputs;
mod inspect;
mod memory;
mod outputs;
mod plugin;
mod program;
mod report;
mod run;
mod spinner;
mod text;

use clap::{Parser, Subcommand};
use failure::{Failure, Outcome};
use std::{
    io::{self, BufWriter, Write},
    process::ExitCode,
};

/// Plugins, caches and programs of Hloom
#[derive(Parser)]
#[command(name = "hloom", version, about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show what is on this machine: LLVM, plugins and their devices, caches
    Doctor(doctor::Doctor),
    /// List, install and find PJRT plugins
    #[command(subcommand, visible_alias = "plugins")]
    Plugin(pjrt_plugins::cli::Command),
    /// Show or remove compiled programs that are kept for later processes
    #[command(subcommand)]
    Cache(cache::Cache),
    /// Show what a file holds: a program, or tensors
    Inspect(inspect::Inspect),
    /// Run a program on inputs of files
    Run(run::Run),
    /// Compile a program into a file, for this machine or for devices that are elsewhere
    Compile(compile::Compile),
    /// Measure a program: its compilation, its calls, its memory; inputs without a file are zeros
    Bench(bench::Bench),
    /// Write a page about a program: costs by source line and module, memory over time
    Report(report::ReportPage),
    /// Write the completions of a shell to standard output
    Completions(completions::Completions),
}

fn main() -> ExitCode {
    hloom_runtime::sandbox::enter();
    let arguments = Arguments::parse();
    let mut out = BufWriter::new(io::stdout().lock());
    let done = run(arguments.command, &mut out).and_then(|()| Ok(out.flush()?));
    // Output that could not be written is not written again when it is dropped.
    let _ = out.into_parts();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            failure.report();
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command, out: &mut dyn Write) -> Outcome {
    match command {
        Command::Doctor(doctor) => doctor.run(out),
        Command::Plugin(command) => plugin::run(command, out),
        Command::Cache(cache) => cache.run(out),
        Command::Inspect(inspect) => inspect.run(out),
        Command::Run(run) => run.run(out),
        Command::Compile(compile) => compile.run(),
        Command::Bench(bench) => bench.run(out),
        Command::Report(report) => report.run(),
        Command::Completions(completions) => completions.run(out),
    }
}
