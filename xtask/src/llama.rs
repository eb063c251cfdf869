//! The first thing a newcomer sees run.

use crate::{Result, cargo, setup};

/// Sets up, then runs the Llama example with `arguments`; until that is there, a program that
/// compiles StableHLO text and runs it.
///
/// # Errors
/// The set-up's, or the example failed.
pub fn run(arguments: &[String]) -> Result {
    setup::run()?;
    let llama = cargo::workspace().join("examples/llama/main.rs").exists();
    let mut command = match llama {
        true => cargo::command(&["run", "--release", "--example", "llama", "--"]),
        false => cargo::command(&[
            "run",
            "--release",
            "--package",
            "hloom-pjrt",
            "--example",
            "stablehlo",
            "--",
        ]),
    };
    match arguments {
        // A newcomer sees a story; everybody else says what is wanted.
        [] if llama => command.args(["--prompt", "Tell me a story.", "--stats", "text"]),
        arguments => command.args(arguments),
    };
    cargo::run(command)
}
