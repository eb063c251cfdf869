//! Every program of the tests, saved by one process and loaded by another.

use std::path::Path;

use crate::{Result, cargo, setup};

/// Runs the tests twice with one cache of compiled programs: the first run saves the programs that
/// it compiles, the second loads it. Tests compare results as always, and the second run has to
/// have loaded.
///
/// # Errors
/// The set-up's; or a test failed, or the second run added programs.
pub fn run(tests: &[String]) -> Result {
    setup::run()?;
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let mut counts = [0; 2];
    for count in &mut counts {
        let mut command = cargo::command(&["test", "--quiet", "--workspace", "--no-fail-fast"]);
        command.arg("--").args(tests).env("HLOOM_CACHE", folder.path());
        // Tests expect the choices of the built-in table, which does not depend on the machine.
        command.env("HLOOM_DOTS", "built-in");
        cargo::run(command)?;
        *count = entries(folder.path())?;
        println!("{count} programs in the cache");
    }
    match counts {
        [0, _] => Err("the first run saved nothing".into()),
        // Some tests compile programs that differ in each run.
        [first, second] if second > first + first / 10 => {
            Err(format!("the second run compiled {} more programs", second - first))
        }
        _ => Ok(()),
    }
}

/// The number of programs in a cache.
fn entries(folder: &Path) -> Result<usize> {
    let listed = std::fs::read_dir(folder);
    let listed = listed.map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(listed
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "hloom"))
        .count())
}
