//! The fuzz targets of `fuzz/`, run by cargo-fuzz.

use std::process::Command;

use crate::{Result, cargo, setup};

/// The time in seconds after which an input counts as a hang.
const INPUT_TIMEOUT: u32 = 10;

/// Runs the `targets`, or all of them, for `seconds` each.
///
/// # Errors
/// cargo-fuzz is missing, a target does not exist, or a target found a crash, a hang or too much
/// memory.
pub fn run(targets: &[String], seconds: u32) -> Result {
    setup::run()?;
    let known = targets_of_the_fuzz_crate()?;
    if let Some(unknown) = targets.iter().find(|target| !known.contains(target)) {
        return Err(format!("there is no fuzz target `{unknown}`; there are {}", known.join(", ")));
    }
    let wanted = if targets.is_empty() { &known[..] } else { targets };
    for target in wanted {
        let mut command = fuzz_command(&["run", "--sanitizer", "none", target, "--"]);
        command.args([format!("-max_total_time={seconds}"), format!("-timeout={INPUT_TIMEOUT}")]);
        cargo::run(command)?;
    }
    Ok(())
}

fn targets_of_the_fuzz_crate() -> Result<Vec<String>> {
    let output = fuzz_command(&["list"]).output();
    match output {
        Ok(output) if output.status.success() => {
            let names =
                String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
            Ok(names)
        }
        _ => Err("cargo-fuzz is missing: install it with `cargo install cargo-fuzz`".into()),
    }
}

/// `cargo fuzz` in the workspace. A toolchain without nightly features runs it as well, since no
/// sanitizer is used.
fn fuzz_command(arguments: &[&str]) -> Command {
    let mut command = cargo::command(&["fuzz"]);
    command.args(arguments);
    command
}
