//! Pages and snapshots that a test program of this repository writes: those of lowered ops.

use crate::{Result, cargo, test};

/// The program, which needs neither a plugin nor MLIR. Its name is unique in the workspace, so that
/// it is built with the features of all tests: with other features it would be built twice.
const PROGRAM: &str = "stablehlo_text";

/// Compares the program's output with the stored files; with `fix`, writes them.
///
/// # Errors
/// The program's: a page or a snapshot is stale.
pub fn check(fix: bool) -> Result {
    let mut command = cargo::command(&["test", "--quiet"]);
    command.args(test::SET).args(["--test", PROGRAM]);
    // A stale snapshot is shown, and not stored next to the old one.
    command.env("INSTA_UPDATE", if fix { "always" } else { "no" });
    if fix {
        command.env("HLOOM_WRITE_DOCS", "1");
    }
    cargo::run(command).map_err(|error| {
        format!(
            "{error}: `cargo xtask check --fix` writes stale pages and snapshots, to be reviewed"
        )
    })
}
