//! `pjrt-plugins`: lists, installs and finds PJRT plugins.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;

/// List, install and find PJRT plugins
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: pjrt_plugins::cli::Command,
}

fn main() -> ExitCode {
    match Cli::parse().command.run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
