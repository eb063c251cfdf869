//! The guide as a website.

use crate::{Result, cargo};

/// Builds `docs/guide` into `target/book`, by mdBook, which is compiled first.
///
/// # Errors
/// A page of the contents is missing, or mdBook cannot be compiled.
pub fn run() -> Result {
    let root = cargo::workspace();
    let mut build = cargo::command(&["run", "--quiet", "--manifest-path"]);
    build.arg(root.join("xtask/book/Cargo.toml"));
    build.arg("--target-dir").arg(root.join("target/hloom-book"));
    build.arg("--").arg(root.join("docs/guide"));
    cargo::run(build)?;
    println!("the guide is in target/book/index.html");
    Ok(())
}
