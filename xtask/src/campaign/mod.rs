//! Campaigns: long searches for defects, longer than a test run can take. Each has a short form among the ordinary tests.

mod fuzz;
mod models;
mod soak;
mod tsan;

use clap::Subcommand;

use crate::Result;

/// A campaign and its options.
#[derive(Subcommand)]
pub enum Campaign {
    /// Run the fuzz targets, each for a fixed time
    Fuzz {
        /// The targets to run; all of them without a name
        targets: Vec<String>,
        /// Seconds for each target
        #[arg(long, default_value_t = 600)]
        seconds: u32,
    },
    /// Run the interleavings of threads under a model checker
    Models,
    /// Do mixed work on the CPU plugin and watch memory, threads and descriptors
    Soak {
        /// How long
        #[arg(long, default_value_t = 60)]
        minutes: u32,
    },
    /// Run the tests of threads under ThreadSanitizer
    Tsan {
        /// Do not build the standard library: without its sources, but with false reports
        #[arg(long)]
        prebuilt_std: bool,
    },
}

/// Runs a campaign.
///
/// # Errors
/// It found a defect, or a tool that it needs is missing: the message says how to install it.
pub fn run(campaign: Campaign) -> Result {
    match campaign {
        Campaign::Fuzz { targets, seconds } => fuzz::run(&targets, seconds),
        Campaign::Models => models::run(),
        Campaign::Soak { minutes } => soak::run(minutes),
        Campaign::Tsan { prebuilt_std } => tsan::run(prebuilt_std),
    }
}
