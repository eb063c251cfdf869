//! The format of all Rust sources: rustfmt, and the width of the lines that it leaves alone.

mod width;

use crate::{Result, cargo};

/// The workspaces beside this one.
const APART: [&str; 2] = ["fuzz/Cargo.toml", "benches/peers/candle/Cargo.toml"];

/// Checks the format of every Rust source of the repository.
///
/// # Errors
/// rustfmt's, or each line that is too wide.
pub fn check() -> Result {
    cargo::run(cargo::command(&["fmt", "--all", "--check"]))?;
    for manifest in APART {
        cargo::run(cargo::command(&["fmt", "--check", "--manifest-path", manifest]))?;
    }
    width::check(&cargo::workspace())
}
