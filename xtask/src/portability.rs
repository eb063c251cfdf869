//! Checks of the kernels for another processor: 64-bit Arm.

use std::process::Command;

use crate::{Result, cargo};

const ARM: &str = "aarch64-unknown-linux-gnu";

/// Compiles the kernels and their tests for 64-bit Arm. Rustup installs the target if it is
/// missing. The tests of the portable code run in Miri by `cargo xtask campaign miri kernels`.
///
/// # Errors
/// Rustup is missing, or a check failed.
pub fn run() -> Result {
    let mut target = Command::new("rustup");
    target.args(["target", "add", ARM]);
    cargo::run(target)?;
    let check = ["check", "--package", "hloom-kernels", "--tests", "--target", ARM];
    cargo::run(cargo::command(&check))
}
