//! Regenerates the raw PJRT bindings, or checks that they match the published headers.

use std::process::Command;

/// Runs the generator, a package of its own so that `xtask` builds without bindgen.
///
/// # Errors
/// cargo cannot be run, or the generator failed; it has printed the reason.
pub fn run(check: bool) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--package", "xtask-bindings", "--"]);
    // Cargo changes to no folder of its own: the workspace is found from this package.
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    if check {
        command.arg("--check");
    }
    let status = command.status().map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err("the bindings were not made; the reason is above".to_owned())
    }
}
