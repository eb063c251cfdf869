//! Tasks for developers and newcomers: set-up, tests, examples, bindings, doctor.
//!
//! Builds on a machine with nothing but Rust and a C linker: code that needs LLVM, bindgen or a
//! plugin is a package of its own that a task here runs through cargo.

#![forbid(unsafe_code)]

mod apt;
mod bench;
mod bindings;
mod book;
mod browser;
mod campaign;
mod cargo;
mod check;
mod ci;
mod deny;
mod files;
mod format;
mod gpu;
mod llama;
mod mount;
mod new_op;
mod oracle;
mod parity;
mod plugins;
mod portability;
mod setup;
mod steps;
mod test;
#[path = "../../build/toolchain.rs"]
mod toolchain;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The result of a task: an error is a message for the person who ran it.
type Result<T = ()> = std::result::Result<T, String>;

/// Set-up, tests, examples and checks of this repository
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install what building and running needs: LLVM and MLIR 22, the CPU plugin
    Setup {
        /// Only check; exits with 1 when something is missing
        #[arg(long)]
        check: bool,
    },
    /// Set up, then run every test of the workspace
    Test {
        /// Also test with these plugins, installed first (such as `cuda13,tpu`)
        #[arg(long, value_delimiter = ',', value_name = "NAMES")]
        plugins: Vec<String>,
        /// Arguments for `cargo test`, such as `-p hloom-graph`: of the whole workspace without one
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Check what needs no test: formatting, links, generated pages and snapshots, lints, features
    Check {
        /// Write what a tool can write: formatting, pages and snapshots
        #[arg(long)]
        fix: bool,
    },
    /// Run everything that a change has to pass: the checks, documentation, bindings, tests
    Ci,
    /// Check the licenses and sources of the dependencies
    Deny {
        /// Also look for known defects, in a database from the network
        #[arg(long)]
        advisories: bool,
    },
    /// Write the skeleton of a new op, and list the files it touched
    NewOp {
        /// The name of the method, such as `next_after`
        name: String,
    },
    /// Regenerate the files that tests compare with, in their own Python environment
    Oracle {
        /// The script in `tests/oracle`, such as `ops`
        script: String,
        /// Its arguments, such as the op families
        arguments: Vec<String>,
    },
    /// Install the CPU plugin, then build and run the Llama example; needs only Rust and pip
    Llama {
        /// Arguments for the example
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Build the guide of `docs/guide` as a website in `target/book`
    Book,
    /// List, install, find and test PJRT plugins
    #[command(alias = "plugin")]
    Plugins {
        #[command(subcommand)]
        command: plugins::Command,
    },
    /// Regenerate the raw PJRT bindings from the published headers
    Bindings {
        /// Change nothing; fail if the checked-in bindings do not match the headers
        #[arg(long)]
        check: bool,
    },
    /// Show what is on this machine: LLVM, plugins and their devices, caches
    Doctor {
        /// One JSON object instead of text
        #[arg(long)]
        json: bool,
        /// Try each op in each element type on a plugin, a name or a file, and show what it lacks;
        /// the CPU's without one
        #[arg(long, value_name = "PLUGIN", num_args = 0..=1, default_missing_value = "cpu")]
        ops: Option<String>,
    },
    /// Check the kernels for another processor: compile them for 64-bit Arm
    Portability,
    /// Run a long search for defects: fuzzing, sanitizers, fault injection, random programs
    Campaign {
        #[command(subcommand)]
        campaign: campaign::Campaign,
    },
    /// Write the bundle that runs on a machine with a GPU
    Gpu {
        #[command(subcommand)]
        command: gpu::Command,
    },
    /// Run the benchmarks and print a table of their results
    Bench {
        /// The benchmark to run; all of them without it
        name: Option<String>,
        /// The results as they come, one JSON object per line, instead of the table
        #[arg(long)]
        json: bool,
        /// Also write the results to `docs/benchmarks.md`, with the machine's description
        #[arg(long)]
        page: bool,
    },
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Setup { check: true } => setup::check(),
        Task::Setup { check: false } => setup::run(),
        Task::Test { plugins, arguments } => test::run(&plugins, &arguments),
        Task::Check { fix } => check::run(fix),
        Task::Ci => ci::run(),
        Task::Deny { advisories: true } => deny::run(deny::Advisories::Required),
        Task::Deny { advisories: false } => deny::run(deny::Advisories::No),
        Task::NewOp { name } => new_op::run(&name),
        Task::Oracle { script, arguments } => oracle::run(&script, &arguments),
        Task::Llama { arguments } => llama::run(&arguments),
        Task::Book => book::run(),
        Task::Plugins { command } => match command.run() {
            Ok(true) => Ok(()),
            Ok(false) => return ExitCode::FAILURE,
            Err(message) => Err(message),
        },
        Task::Bindings { check } => bindings::run(check),
        Task::Doctor { json, ops: Some(plugin) } => plugins::survey::run(&plugin, json),
        Task::Doctor { json, ops: None } => cargo::doctor(json),
        Task::Portability => portability::run(),
        Task::Campaign { campaign } => campaign::run(campaign),
        Task::Gpu { command } => command.run(),
        Task::Bench { name, json, page } => bench::run(name.as_deref(), json, page),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
