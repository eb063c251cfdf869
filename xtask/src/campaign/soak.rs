//! Mixed work for a long time, during which memory, threads and descriptors must not grow.

use crate::{Result, cargo, setup};

/// Runs the soak test of the runtime for `minutes`. It prints a line of JSON for each measurement
/// of the process.
///
/// # Errors
/// The set-up's, a unit of work failed, or memory, threads or descriptors grew.
pub fn run(minutes: u32) -> Result {
    setup::run()?;
    let mut command =
        cargo::command(&["test", "--quiet", "--package", "hloom-runtime", "--test", "soak", "--"]);
    command.args(["--exact", "mixed_work_leaves_nothing_behind", "--ignored", "--nocapture"]);
    command.env("HLOOM_SOAK_MINUTES", minutes.to_string());
    cargo::run(command)
}
