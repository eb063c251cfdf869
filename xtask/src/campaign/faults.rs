//! Fault injection: calls of a plugin that fail, one and two at a time.

use crate::{Result, cargo};

/// Runs a script of everything that a client does, and one of what a platform does, on a plugin
/// that is linked into the tests, with every call and every two calls that fail. The second of two
/// is any call that follows the first one after it failed.
///
/// # Errors
/// Something leaked, hung, panicked, or failed without an error that names the function.
pub fn run() -> Result {
    for (package, binary, tests) in
        [("hloom-pjrt", "fake", "faults::"), ("hloom-runtime", "it", "faults::")]
    {
        let mut command =
            cargo::command(&["test", "--package", package, "--test", binary, "--", tests]);
        command.args(["--include-ignored", "--nocapture"]);
        cargo::run(command)?;
    }
    Ok(())
}
