//! A run of a bundle as on another machine: from another folder, with an empty environment.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::Result;

/// The folders of the system's programs: neither cargo nor a toolchain is in them.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A bundle's runs, whose results go to one folder.
pub struct Runs<'a> {
    /// The bundle.
    pub bundle: &'a Path,
    /// The folder of results, and the home of the programs.
    pub out: PathBuf,
}

/// The results of a run.
#[derive(Debug)]
pub struct Run {
    /// Whether every part ran to its end.
    pub is_complete: bool,
    /// The lines of results, with those of earlier runs.
    pub lines: Vec<Value>,
    /// The output of `run.sh`.
    pub output: String,
}

impl Runs<'_> {
    /// A command with an empty environment, in the folder of results.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn command(&self, program: &Path) -> Result<Command> {
        fs::create_dir_all(&self.out)
            .map_err(|error| format!("cannot create {}: {error}", self.out.display()))?;
        let mut command = Command::new(program);
        command.current_dir(&self.out).env_clear().env("PATH", PATH).env("HOME", &self.out);
        Ok(command)
    }

    /// Runs `run.sh` with these arguments and variables.
    ///
    /// # Errors
    /// It cannot be started, or a line of results is not JSON.
    pub fn run(&self, arguments: &[&str], variables: &[(&str, &Path)]) -> Result<Run> {
        let mut command = self.command(&self.bundle.join("run.sh"))?;
        let output = command.arg(&self.out).args(arguments).envs(variables.iter().copied());
        let output = output.output().map_err(|error| format!("cannot run `run.sh`: {error}"))?;
        let mut shown = String::from_utf8_lossy(&output.stdout).into_owned();
        shown += &String::from_utf8_lossy(&output.stderr);
        self.results(output.status.success(), shown)
    }

    /// The results in the folder after a run with this outcome and output.
    ///
    /// # Errors
    /// There are none, or a line is not JSON.
    pub fn results(&self, is_complete: bool, output: String) -> Result<Run> {
        let results = self.out.join("results.jsonl");
        let text = fs::read_to_string(&results)
            .map_err(|error| format!("cannot read {}: {error}", results.display()))?;
        let read = |line: &str| {
            serde_json::from_str(line).map_err(|error| format!("{}: {error}", results.display()))
        };
        let lines = text.lines().map(read).collect::<Result<_>>()?;
        Ok(Run { is_complete, lines, output })
    }
}

impl Run {
    /// The reasons of the failed checks of this name, such as `gpu/platform`.
    pub fn reasons(&self, bench: &str) -> Vec<&str> {
        let of_bench = self.lines.iter().filter(|line| line["bench"] == bench);
        of_bench.filter_map(|line| line["why"].as_str()).collect()
    }

    /// The names of all checks that failed.
    pub fn failed(&self) -> Vec<&str> {
        let failed = |line: &&Value| line["unit"] == "passed" && line["holds"] != true;
        self.lines.iter().filter(failed).filter_map(|line| line["bench"].as_str()).collect()
    }
}
