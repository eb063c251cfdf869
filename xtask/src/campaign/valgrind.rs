//! Valgrind's memcheck over the tests of shared memory.

use std::process::Command;

use super::memory_tests::SUITES;
use crate::{Result, cargo, setup};

/// Suppressions of expected reports, each with its reason.
const SUPPRESSIONS: &str = "xtask/src/campaign/valgrind.supp";

/// Runs the suites under memcheck; `tests` are parts of the names of tests; without any, all tests
/// of the suites run.
///
/// Reads and writes outside of allocations or after they were freed are defects, and so is memory
/// that is definitely lost. Uninitialised values are not checked: the plugin's compiler branches on
/// some.
///
/// # Errors
/// Valgrind is missing, a test failed, or memcheck found a defect.
pub fn run(tests: &[String]) -> Result {
    setup::run()?;
    let found = Command::new("valgrind").arg("--version").output();
    if !found.is_ok_and(|output| output.status.success()) {
        return Err("valgrind is missing: install it with `apt-get install valgrind`".into());
    }
    let suppressions = cargo::workspace().join(SUPPRESSIONS);
    let options = [
        "--quiet",
        "--leak-check=full",
        "--show-leak-kinds=definite",
        "--errors-for-leak-kinds=definite",
        "--undef-value-errors=no",
        "--error-exitcode=1",
        "--num-callers=40",
        // Schedules waiting threads fairly while another one computes.
        "--fair-sched=try",
        &format!("--suppressions={}", suppressions.display()),
    ];
    // Valgrind cannot read the debug information of binaries that MLIR is linked into: it receives
    // a copy with symbols only.
    let script = r#"strip --strip-debug -o "$0.valgrind" "$0" && exec valgrind "$0.valgrind" "$@""#;
    let runner = serde_json::to_string(&["sh", "-c", script]).map_err(|error| error.to_string())?;
    for suite in &SUITES {
        let mut command = cargo::command(&["test", "--config"]);
        // An array of strings is the same in JSON and in TOML.
        command.arg(format!("target.'cfg(all())'.runner = {runner}"));
        command.env("VALGRIND_OPTS", options.join(" "));
        suite.choose(&mut command, tests);
        cargo::run(command)?;
    }
    Ok(())
}
