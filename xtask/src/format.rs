//! The format of all Rust sources, by rustfmt.

use crate::{Result, cargo};

/// The workspaces apart from the main one.
const APART: [&str; 3] =
    ["fuzz/Cargo.toml", "benches/peers/candle/Cargo.toml", "xtask/book/Cargo.toml"];

/// Checks the format of every Rust source of the repository, or writes it.
///
/// # Errors
/// rustfmt's.
pub fn run(fix: bool) -> Result {
    let check: &[&str] = if fix { &[] } else { &["--check"] };
    cargo::run(cargo::command(&[&["fmt", "--all"], check].concat()))?;
    for manifest in APART {
        cargo::run(cargo::command(&[&["fmt", "--manifest-path", manifest], check].concat()))?;
    }
    Ok(())
}
