//! Gradients of random programs, against central differences.

use crate::{Result, cargo, setup};

/// The test that takes them.
const TEST: &str = "ops::differences::gradients_of_random_programs_are_slopes";

/// Takes the gradients of `programs` programs.
///
/// # Errors
/// A program does not compile or run, or a gradient is not the slope.
pub fn run(programs: u64) -> Result {
    setup::run()?;
    let mut command = cargo::command(&["test", "--package", "hloom", "--test", "it", "--"]);
    command.args([TEST, "--exact", "--nocapture"]);
    command.env("HLOOM_TEST_PROGRAMS", programs.to_string());
    cargo::run(command)
}
