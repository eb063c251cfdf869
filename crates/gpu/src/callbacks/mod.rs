//! Rust functions and kernels called from programs: on copies in the host's memory, and on the
//! device's own memory and stream.

mod compile;
mod device;
mod failures;
mod nested;
mod nvcc;
mod on_host;
mod programs;
mod scratch;
mod text;

use crate::{Result, Settings, results::Results};

#[derive(clap::Args)]
pub struct Options {
    /// Only compiles the programs, for devices that this machine need not have, as `cuda:h200`.
    #[arg(long)]
    compile: Option<String>,
}

pub fn run(settings: &Settings, options: &Options, results: &mut Results) -> Result {
    if let Some(target) = &options.compile {
        return compile::run(target, results);
    }
    let platform = settings.open()?;
    results.set_card(&platform);
    on_host::run(settings, &platform, results)?;
    device::run(settings, &platform, results)?;
    failures::run(&platform, results)?;
    text::run(&platform, results)?;
    // The last one, since what it shows is that it does not hang.
    nested::run(&platform, results)
}
