//! Ops of random attributes: gathers, scatters, convolutions, reductions of windows, dot products,
//! padding and sorts.

use crate::{Result, cargo, setup};

/// The tests that run them.
const TESTS: [&str; 2] = [
    "windows::random_gathers_and_scatters_match_the_reference",
    "attributes::ops_of_random_attributes_match_the_reference",
];

/// Runs the choices of `choices` seeds from `seed` on.
///
/// # Errors
/// A program does not compile or run, or computes something else than the reference.
pub fn run(choices: u64, seed: u64) -> Result {
    setup::run()?;
    let end = seed.checked_add(choices).ok_or("there are no seeds that high")?;
    let mut command = cargo::command(&["test", "--package", "hloom", "--test", "it", "--"]);
    command.args(TESTS).args(["--exact", "--ignored", "--nocapture"]);
    command.env("HLOOM_TEST_SEEDS", format!("{seed}..{end}"));
    cargo::run(command)
}
