//! The kernels where this processor does not go: on 64-bit Arm, and without instructions of any.

use std::process::Command;

use crate::{Result, cargo};

const ARM: &str = "aarch64-unknown-linux-gnu";

/// Compiles the kernels and their tests for 64-bit Arm, and runs the tests of the portable code in Miri, which finds what a test
/// cannot see: reads outside of an operand, races between threads. Rustup installs what is missing.
///
/// # Errors
/// There is no rustup, or a check failed.
pub fn run() -> Result {
    rustup(&["target", "add", ARM])?;
    let check = ["check", "--package", "hloom-kernels", "--tests", "--target", ARM];
    cargo::run(cargo::command(&check))?;
    let nightly = ["toolchain", "install", "nightly", "--profile", "minimal"];
    rustup(&[&nightly[..], &["--component", "miri,rust-src", "--no-self-update"]].concat())?;
    let mut miri = Command::new("rustup");
    miri.args(["run", "nightly", "cargo", "miri", "test", "--package", "hloom-kernels"])
        .current_dir(cargo::workspace())
        // Programs read the clock and the environment; operands of handlers come as addresses.
        .env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-permissive-provenance");
    cargo::run(miri)
}

fn rustup(arguments: &[&str]) -> Result {
    let mut command = Command::new("rustup");
    command.args(arguments);
    cargo::run(command)
}
