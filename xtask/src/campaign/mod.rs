//! Campaigns: long searches for defects, longer than a test run can take. Each has a short form
//! among the ordinary tests.

mod accuracy;
mod asan;
mod faults;
mod fuzz;
mod gradients;
mod memory_tests;
mod miri;
mod models;
mod nested;
mod random;
mod saved;
mod soak;
mod tsan;
mod valgrind;
mod windows;

use clap::Subcommand;

use crate::{Result, gpu};

/// A campaign and its options.
#[derive(Subcommand)]
pub enum Campaign {
    /// Compare every function of one or two numbers and its derivative with mpmath's
    Accuracy {
        /// About how many arguments of each type
        #[arg(long, default_value_t = 20_000)]
        points: u32,
    },
    /// Run the tests of callbacks, donation, shared buffers and meshes with AddressSanitizer
    Asan {
        /// Parts of the names of the tests to run; all of them without a name
        tests: Vec<String>,
    },
    /// Let calls of a plugin fail, one and every two in a run, and look for leaks, hangs and
    /// panics: 300,000 runs, minutes
    Faults,
    /// Run the fuzz targets, each for a fixed time
    Fuzz {
        /// The targets to run; all of them without a name
        targets: Vec<String>,
        /// Seconds for each target
        #[arg(long, default_value_t = 600)]
        seconds: u32,
    },
    /// Check the bundle for a machine with a GPU: every program of it compiled for CUDA, every part
    /// on the CPU plugin
    Gpu,
    /// Take the gradients of random programs and compare them with central differences
    Gradients {
        /// How many programs
        #[arg(long, default_value_t = 2_000)]
        programs: u64,
    },
    /// Run the tests of the graph, of files, of kernels and of PJRT in Miri
    Miri {
        /// The parts to run: `graph`, `io`, `kernels`, `pjrt`; all of them without a name
        parts: Vec<String>,
    },
    /// Run the interleavings of threads under a model checker
    Models,
    /// Let callbacks use the platform of their own program in random ways, and look for hangs
    Nested {
        /// How many nestings
        #[arg(long, default_value_t = 10_000)]
        nestings: u64,
        /// The seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Run random programs on the plugin and in the interpreter, and compare every value that they
    /// compute with NumPy's
    Random {
        /// How many programs
        #[arg(long, default_value_t = 20_000)]
        programs: u64,
        /// The seed of the first one
        #[arg(long, default_value_t = 0)]
        seed: u64,
    },
    /// Run the tests twice: the first run saves every program, the second loads them
    Saved {
        /// Parts of the names of the tests to run; all of them without a name
        tests: Vec<String>,
    },
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
    /// Run the tests of callbacks, donation, shared buffers and meshes under valgrind
    Valgrind {
        /// Parts of the names of the tests to run; all of them without a name
        tests: Vec<String>,
    },
    /// Run gathers, scatters, convolutions, reductions of windows, dot products, padding and sorts
    /// of random attributes and compare them with a slow reference
    Windows {
        /// How many choices of attributes
        #[arg(long, default_value_t = 2_000)]
        choices: u64,
        /// The seed of the first one
        #[arg(long, default_value_t = 0)]
        seed: u64,
    },
}

/// Runs a campaign.
///
/// # Errors
/// It found a defect, or a tool that it needs is missing: the message explains how to install it.
pub fn run(campaign: Campaign) -> Result {
    match campaign {
        Campaign::Accuracy { points } => accuracy::run(points),
        Campaign::Asan { tests } => asan::run(&tests),
        Campaign::Faults => faults::run(),
        Campaign::Fuzz { targets, seconds } => fuzz::run(&targets, seconds),
        Campaign::Gpu => gpu::check::run(gpu::check::Extent::Whole),
        Campaign::Gradients { programs } => gradients::run(programs),
        Campaign::Miri { parts } => miri::run(&parts),
        Campaign::Models => models::run(),
        Campaign::Nested { nestings, seed } => nested::run(nestings, seed),
        Campaign::Random { programs, seed } => random::run(programs, seed),
        Campaign::Saved { tests } => saved::run(&tests),
        Campaign::Soak { minutes } => soak::run(minutes),
        Campaign::Tsan { prebuilt_std } => tsan::run(prebuilt_std),
        Campaign::Valgrind { tests } => valgrind::run(&tests),
        Campaign::Windows { choices, seed } => windows::run(choices, seed),
    }
}
