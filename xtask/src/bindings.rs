//! Regenerates the raw PJRT bindings, or checks that they match the published headers.

use crate::{Result, cargo, test};

/// Runs the generator, a package of its own so that `xtask` builds without bindgen.
///
/// # Errors
/// cargo cannot be run, or the generator failed; it has printed the reason.
pub fn run(check: bool) -> Result {
    let mut command = cargo::command(&["run", "--quiet", "--package", "xtask-bindings", "--"]);
    if check {
        command.arg("--check");
    }
    cargo::run(command)
}

/// Checks the bindings by the generator's own test, so that bindgen is built once, as for all
/// tests.
///
/// # Errors
/// As for [`run`].
pub fn test() -> Result {
    let mut command = cargo::command(&["test", "--quiet"]);
    command.args(test::SET).args(["--bin", "xtask-bindings", "--"]);
    command.args(["--ignored", "the_bindings_are_those_of_the_published_headers"]);
    cargo::run(command)
}
