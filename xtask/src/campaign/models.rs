//! State machines of threads under a model checker.

use crate::{Result, cargo};

/// Runs every interleaving of the models' threads, of the larger models those with three to five
/// preemptions. The ordinary tests run those with two.
///
/// # Errors
/// An interleaving ends in a data race, a deadlock or a failed assertion.
pub fn run() -> Result {
    let mut command = cargo::command(&[
        "test",
        "--package",
        "hloom-kernels",
        "--package",
        "hloom-ffi",
        "--package",
        "hloom-pjrt",
        "--test",
        "models",
    ]);
    command.env("HLOOM_MODELS", "thorough");
    cargo::run(command)
}
