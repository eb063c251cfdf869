//! Errors of every function of one or two numbers at many arguments, against mpmath.

use crate::{Result, cargo, oracle, setup};

/// The tests that compare them.
const TESTS: [&str; 2] =
    ["sweep::errors_are_those_of_the_page", "sweep::short_floats_are_rounded_from_f32"];

/// Computes the values and derivatives of all functions at about `points` arguments of each type by
/// mpmath, and compares them.
///
/// # Errors
/// There is no Python, a program does not compile or run, or an error is larger than 1.5 times that
/// of the page.
pub fn run(points: u32) -> Result {
    setup::run()?;
    let file = cargo::target().join("sweep.safetensors");
    let path = file.to_str().ok_or("the path of the target folder is not UTF-8")?;
    oracle::run("sweep", &["--points".into(), points.to_string(), "--out".into(), path.into()])?;
    let mut command = cargo::command(&["test", "--package", "hloom", "--test", "it", "--"]);
    command.args(TESTS).args(["--exact", "--nocapture"]);
    command.env("HLOOM_TEST_SWEEP", file);
    cargo::run(command)
}
