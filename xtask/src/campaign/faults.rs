//! Fault injection: calls of a plugin that fail, one and two at a time.

use crate::{Result, cargo};

/// Runs a script of all operations of a client, and one of the operations of a platform, on a
/// plugin that is linked into the tests, once for every call and every two calls that fail. The
/// second of two is any call that follows the first one after it failed.
///
/// # Errors
/// A run leaked, hung, panicked, or failed without an error that names the function.
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
