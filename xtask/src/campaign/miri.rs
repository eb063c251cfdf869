//! Miri, an interpreter that finds errors that a test cannot detect: reads outside of an
//! allocation, uninitialized memory, references that break the rules of aliasing, races between
//! threads.

use std::process::Command;

use crate::{Result, cargo};

/// A part of the workspace whose tests Miri can run.
struct MiriPart {
    name: &'static str,
    /// Arguments for `cargo miri test`: the package, its features and which of its tests.
    arguments: &'static [&'static str],
}

/// Packages that call no foreign code, and tests against a plugin written in Rust.
const PARTS: [MiriPart; 4] = [
    MiriPart {
        name: "graph",
        // Snapshots are compared by a crate that asks cargo where the workspace is.
        arguments: &[
            "--package",
            "hloom-graph",
            "--tests",
            "--",
            "--skip",
            "scan_stacks_and_carries",
        ],
    },
    MiriPart {
        name: "io",
        // Files are read instead of mapped; the tests that remain start no processes. The tests of
        // files from Python compare values, for which Miri adds nothing.
        arguments: &[
            "--package",
            "hloom-io",
            "--no-default-features",
            "--lib",
            "--test",
            "it",
            "--",
            "--skip",
            "python_files::",
        ],
    },
    MiriPart { name: "kernels", arguments: &["--package", "hloom-kernels"] },
    MiriPart { name: "pjrt", arguments: &["--package", "hloom-pjrt", "--test", "fake"] },
];

/// Programs read the clock and files; operands of handlers come as addresses.
const FLAGS: &str = "-Zmiri-disable-isolation -Zmiri-permissive-provenance";

/// Runs the tests of the `wanted` parts in Miri, or of all of them.
///
/// # Errors
/// A part does not exist, Miri is missing, or a test failed.
pub fn run(wanted: &[String]) -> Result {
    let known = PARTS.map(|part| part.name);
    if let Some(unknown) = wanted.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("there is no part `{unknown}`; there are {}", known.join(", ")));
    }
    let found = miri(&["--version"]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        let install =
            "rustup toolchain install nightly --profile minimal --component miri,rust-src";
        return Err(format!("Miri is missing: install it with `{install}`"));
    }
    for part in PARTS {
        if wanted.is_empty() || wanted.iter().any(|name| name == part.name) {
            let mut command = miri(&["test"]);
            command.args(part.arguments).env("MIRIFLAGS", FLAGS);
            cargo::run(command)?;
        }
    }
    Ok(())
}

/// `cargo miri` of the nightly toolchain. It is found by rustup, so this process's own cargo cannot
/// be used.
fn miri(arguments: &[&str]) -> Command {
    let mut command = Command::new("rustup");
    command
        .args(["run", "nightly", "cargo", "miri"])
        .args(arguments)
        .current_dir(cargo::workspace())
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN");
    command
}
