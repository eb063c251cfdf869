//! Fault injection: calls of a plugin that fail, one and two at a time.

use crate::{Result, cargo};

/// Runs a script through everything that a client does, on a plugin that is linked into the test, with every call and every two
/// calls close to each other that fail.
///
/// # Errors
/// Something leaked, hung, panicked, or failed without an error that names the function.
pub fn run() -> Result {
    let mut command = cargo::command(&["test", "--package", "hloom-pjrt", "--test", "fake", "--"]);
    command.args(["faults", "--include-ignored", "--nocapture"]);
    cargo::run(command)
}
