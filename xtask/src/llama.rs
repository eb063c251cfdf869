//! The Llama example, for newcomers.

use crate::{Result, cargo, setup};

/// Sets up, then runs the Llama example with `arguments`; without it, a program that compiles
/// StableHLO text and runs it.
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
        // Without arguments, the example writes a story.
        [] if llama => command.args(["--prompt", "Tell me a story.", "--stats", "text"]),
        arguments => command.args(arguments),
    };
    cargo::run(command)
}
