//! Regenerates the files that tests compare with, by their scripts in a Python environment of their
//! own.

use crate::{Result, cargo};
use pjrt_plugins::Python;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Runs `tests/oracle/<script>.py` with `arguments`, in an environment with the packages of
/// `requirements.txt`.
///
/// # Errors
/// There is no such script, no Python, or one of them failed.
pub fn run(script: &str, arguments: &[String]) -> Result {
    let folder = cargo::workspace().join("tests/oracle");
    let file = folder.join(format!("{script}.py"));
    if !is_a_name(script) || !file.is_file() {
        return Err(format!(
            "there is no `{}`; there are {}",
            file.display(),
            scripts(&folder).join(", ")
        ));
    }
    let python = environment(&folder)?;
    let mut command = Command::new(python);
    command.arg(file).args(arguments).current_dir(&folder);
    cargo::run(command)
}

fn is_a_name(script: &str) -> bool {
    script.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn scripts(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let python = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "py"));
    let mut names: Vec<String> = python
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .filter(|name| name != "reference" && name != "checkpoint")
        .collect();
    names.sort();
    names
}

/// The interpreter that `HLOOM_PYTHON` names, else that of an environment below `target`, which is
/// created first.
fn environment(folder: &Path) -> Result<PathBuf> {
    if let Some(python) = std::env::var_os("HLOOM_PYTHON") {
        return Ok(python.into());
    }
    let environment = cargo::target().join("oracle");
    let python = environment.join("bin/python");
    let is_made = environment.join("complete");
    if !is_made.exists() {
        let started = |program: &Path| {
            Python::new(program).map_err(|error| format!("{}: {error}", program.display()))
        };
        let system = started(Path::new("python3"))?;
        let mut venv = system.command();
        venv.args(["-m", "venv", "--clear"]).arg(&environment);
        cargo::run(venv)?;
        let made = started(&python)?;
        let mut pip = made.command();
        pip.args(["-m", "pip", "install", "--quiet", "--requirement"])
            .arg(folder.join("requirements.txt"));
        cargo::run(pip)?;
        std::fs::write(&is_made, "").map_err(|error| format!("{}: {error}", is_made.display()))?;
    }
    Ok(python)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_called_by_name_and_those_that_are_not_there_are_told() {
        assert!(scripts(&cargo::workspace().join("tests/oracle")).contains(&"ops".to_owned()));
        let error = run("nothing", &[]).unwrap_err();
        assert!(error.contains("nothing.py") && error.contains("llama"), "{error}");
        assert!(run("../oracle/ops", &[]).is_err());
    }
}
