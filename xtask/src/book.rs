//! The guide as a website.

use crate::Result;
use std::{io::ErrorKind, path::Path, process::Command};

/// Builds `docs/guide` into `target/book`.
///
/// # Errors
/// mdBook is not installed, or it failed.
pub fn run() -> Result {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let built = Command::new("mdbook").arg("build").arg(root.join("docs/guide")).status();
    match built {
        Ok(status) if status.success() => {
            println!("the guide is in target/book/index.html");
            Ok(())
        }
        Ok(status) => Err(format!("`mdbook build docs/guide` failed: {status}")),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err("mdBook is not installed; install it with `cargo install mdbook`, or read \
                 docs/guide/src/SUMMARY.md"
                .into())
        }
        Err(error) => Err(format!("cannot run mdbook: {error}")),
    }
}
