//! Every test of the workspace, from a machine that may have nothing yet.

use crate::{Result, cargo, setup};

/// Sets up, installs `plugins`, and runs `cargo test` with `arguments`.
///
/// # Errors
/// The set-up's, or a test failed.
pub fn run(plugins: &[String], arguments: &[String]) -> Result {
    setup::run()?;
    for plugin in plugins {
        setup::ensure(plugin)?;
    }
    let mut command = cargo::command(&["test", "--workspace"]);
    command.args(arguments);
    if !plugins.is_empty() {
        command.env("HLOOM_TEST_PLUGINS", plugins.join(","));
    }
    cargo::run(command)
}
