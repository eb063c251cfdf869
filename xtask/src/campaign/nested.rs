//! Callbacks that use the platform of their own program, which may wait for it.

use crate::{Result, cargo, setup};

/// Makes random nestings: sizes, devices, threads and operations. One that takes longer than a
/// minute ends the run, which prints it.
///
/// # Errors
/// The set-up's, or a nesting hangs, fails or computes a wrong value.
pub fn run(nestings: u64, seed: u64) -> Result {
    setup::run()?;
    let mut command =
        cargo::command(&["test", "--quiet", "--package", "hloom-runtime", "--test", "it", "--"]);
    command.args(["--exact", "callbacks::nested::nestings", "--ignored", "--nocapture"]);
    command.env("HLOOM_TEST_NESTINGS", nestings.to_string());
    command.env("HLOOM_TEST_SEED", seed.to_string());
    cargo::run(command)
}
