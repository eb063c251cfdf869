//! Everything that a change has to pass, on a clean clone of a machine that may have nothing but Rust.

use crate::{Result, bindings, cargo, setup, test};
use std::time::Instant;

/// The plugins whose compilers need no device.
const COMPILERS: [&str; 2] = ["cuda13", "tpu"];

/// Runs each step, and stops at the first that fails.
///
/// # Errors
/// The step's.
pub fn run() -> Result {
    let start = Instant::now();
    let step = |name: &str| println!("\n== {name} ({} s) ==", start.elapsed().as_secs());
    step("format");
    cargo::run(cargo::command(&["fmt", "--all", "--check"]))?;
    step("set-up");
    setup::run()?;
    step("lints");
    let lints = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ];
    cargo::run(cargo::command(&lints))?;
    step("documentation");
    let mut documentation = cargo::command(&["doc", "--workspace", "--no-deps", "--quiet"]);
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    cargo::run(documentation)?;
    step("bindings");
    bindings::run(true)?;
    // Last, so that the counts of its tests close the output.
    step("tests");
    test::run(&COMPILERS.map(str::to_owned), &[])?;
    step("done");
    Ok(())
}
