//! The client: its devices, memory, transfers, donation, errors, and programs on several threads.

mod bandwidth;
mod compile;
mod donation;
mod memory;
mod out_of_memory;
mod probe;
mod programs;
mod readme;
mod round_trips;

use crate::{
    Result, Settings,
    attempt::{attempt, ensure},
    results::{Measurement, Results},
};
use hloom::Platform;
use std::{path::PathBuf, time::Instant};

#[derive(clap::Args)]
pub struct Options {
    /// Only compiles the programs, for devices that this machine need not have, as `cuda:h200`.
    #[arg(long, conflicts_with = "probe")]
    compile: Option<String>,
    /// Runs the checks of one client option in this process, as `memory_fraction=0.05`: the part
    /// starts such processes itself.
    #[arg(long)]
    probe: Option<String>,
    /// The folder of the compilation cache of a probe.
    #[arg(long, requires = "probe")]
    cache: Option<PathBuf>,
    /// The probe runs out of memory by this.
    #[arg(long, requires = "probe")]
    out_of_memory: Option<out_of_memory::Kind>,
}

pub fn run(settings: &Settings, options: &Options, results: &mut Results) -> Result {
    if let Some(target) = &options.compile {
        return compile::run(target, results);
    }
    if let Some(option) = &options.probe {
        return probe::run(settings, option, options, results);
    }
    // Before this process has a client, which would hold most of the memory.
    let background = probe::start_all(settings, results)?;
    let outcome = run_here(settings, results);
    for process in background {
        process.finish(results)?;
    }
    outcome
}

/// The checks of a client with the default options.
fn run_here(settings: &Settings, results: &mut Results) -> Result {
    let start = Instant::now();
    let platform = settings.open()?;
    let seconds = start.elapsed().as_secs_f64();
    results.set_card(&platform);
    results.measure(&Measurement {
        bench: "gpu/platform/open",
        value: seconds,
        unit: "s",
        reference: None,
        target: None,
    })?;
    attempt(results, "gpu/platform/devices", || describe(&platform))?;
    memory::run(settings, &platform, results)?;
    donation::run(settings, &platform, results)?;
    attempt(results, "gpu/platform/readme", || readme::run(&platform))?;
    round_trips::run(&platform, results)?;
    programs::run(settings, &platform, results)?;
    bandwidth::run(settings, &platform, results)
}

/// Prints the devices; there is at least one.
fn describe(platform: &Platform) -> Result {
    println!("platform: {platform}, {}", platform.client().platform_version());
    for device in platform.devices() {
        let description = device.description();
        println!("device {}: {} ({})", device.id(), device.kind(), description.debug_string());
        for (name, value) in description.attributes() {
            println!("  {name}: {value}");
        }
        for memory in device.memories() {
            println!("  memory {}: {}", memory.id(), memory.kind());
        }
    }
    ensure(platform.device_count() > 0, || "there is no device".into())?;
    let kinds = platform.devices();
    ensure(kinds.iter().all(|device| !device.kind().is_empty()), || "a device has no kind".into())
}
