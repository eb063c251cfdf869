//! Campaigns: long searches for defects, longer than a test run can take. Each has a short form among the ordinary tests.

mod asan;
mod fuzz;
mod memory_tests;
mod valgrind;

use clap::Subcommand;

use crate::Result;

/// A campaign and its options.
#[derive(Subcommand)]
pub enum Campaign {
    /// Run the tests of callbacks, donation, shared buffers and meshes with AddressSanitizer
    Asan {
        /// Parts of the names of the tests to run; all of them without a name
        tests: Vec<String>,
    },
    /// Run the fuzz targets, each for a fixed time
    Fuzz {
        /// The targets to run; all of them without a name
        targets: Vec<String>,
        /// Seconds for each target
        #[arg(long, default_value_t = 600)]
        seconds: u32,
    },
    /// Run the tests of callbacks, donation, shared buffers and meshes under valgrind
    Valgrind {
        /// Parts of the names of the tests to run; all of them without a name
        tests: Vec<String>,
    },
}

/// Runs a campaign.
///
/// # Errors
/// It found a defect, or a tool that it needs is missing: the message says how to install it.
pub fn run(campaign: Campaign) -> Result {
    match campaign {
        Campaign::Asan { tests } => asan::run(&tests),
        Campaign::Fuzz { targets, seconds } => fuzz::run(&targets, seconds),
        Campaign::Valgrind { tests } => valgrind::run(&tests),
    }
}
