//! AddressSanitizer over the tests of shared memory.

use std::process::Command;

use super::memory_tests::SUITES;
use crate::{Result, cargo, setup};

/// The only target whose standard library comes with the sanitizer and whose plugin is tested.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Builds the suites with AddressSanitizer, in a folder of their own, and runs them; `tests` are
/// parts of the names of tests; without any, all tests of the suites run.
///
/// The standard library and the plugin are not instrumented, but their allocations are the
/// sanitizer's: reads and writes by this repository's code outside of them, or after they were
/// freed, are found. Leaks are left to valgrind, which distinguishes those of the plugin.
///
/// # Errors
/// The nightly toolchain is missing, a test failed, or the sanitizer found a defect.
pub fn run(tests: &[String]) -> Result {
    setup::run()?;
    let found = Command::new("rustup").args(["run", "nightly", "rustc", "--version"]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        return Err("sanitizers need a nightly toolchain: `rustup toolchain install nightly \
                    --profile minimal`"
            .into());
    }
    for suite in &SUITES {
        let mut command = Command::new("rustup");
        command
            .args(["run", "nightly", "cargo", "test", "--target", TARGET])
            .args(["--target-dir", "target/asan"])
            .current_dir(cargo::workspace())
            .env("RUSTFLAGS", "-Zsanitizer=address")
            .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=0");
        suite.choose(&mut command, tests);
        cargo::run(command)?;
    }
    Ok(())
}
