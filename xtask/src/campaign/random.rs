//! Random programs on the plugin and in the interpreter, compared with NumPy.

use crate::{Result, cargo, setup};

/// The test that runs them.
const TEST: &str = "numpy::random_programs_compute_what_numpy_computes";

/// Runs the programs of `programs` seeds from `seed` on.
///
/// # Errors
/// A program does not compile or run, or computes something else than NumPy, in the plugin or in
/// the interpreter; or an op was not run with every element type that the graph accepts.
pub fn run(programs: u64, seed: u64) -> Result {
    setup::run()?;
    let end = seed.checked_add(programs).ok_or("there are no seeds that high")?;
    let mut command = cargo::command(&["test", "--package", "hloom", "--test", "it", "--"]);
    command.args([TEST, "--exact", "--ignored", "--nocapture"]);
    command.env("HLOOM_TEST_SEEDS", format!("{seed}..{end}"));
    cargo::run(command)
}
