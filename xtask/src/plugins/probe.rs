//! A plugin's description, from the doctor in a process of its own.

use std::{collections::BTreeMap, path::Path, process::Stdio};

use serde::Deserialize;

use crate::{Result, cargo};

/// Begins a line of the doctor's probe.
const MARK: &str = "hloom-probe:";

/// The result of a probe, as far as the matrix shows it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Loaded {
    /// Major and minor version of the C API.
    pub api_version: (i32, i32),
    /// The extensions.
    pub extensions: Vec<Extension>,
}

/// An extension of a plugin.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Extension {
    /// Its number in the C API.
    pub number: u32,
    /// Its name in the headers, where it is a known one.
    pub name: Option<String>,
}

#[derive(Deserialize)]
struct Probe {
    loaded: Option<Loaded>,
    problem: Option<String>,
}

impl Loaded {
    /// The version as `0.81`.
    pub fn version(&self) -> String {
        format!("{}.{}", self.api_version.0, self.api_version.1)
    }

    /// The names of the extensions.
    pub fn extension_names(&self) -> String {
        let name =
            |extension: &Extension| extension.name.clone().unwrap_or(extension.number.to_string());
        let names: Vec<String> = self.extensions.iter().map(name).collect();
        names.join(", ")
    }
}

/// Loads the plugin in the file `library` with `environment`.
///
/// # Errors
/// It does not load; the message has the reason.
pub fn run(library: &Path, environment: &BTreeMap<String, String>) -> Result<Loaded> {
    let mut command =
        cargo::command(&["run", "--quiet", "--package", "hloom-doctor", "--", "--probe"]);
    let output = command.arg(library).envs(environment).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot run the doctor: {error}"))?;
    parse(&String::from_utf8_lossy(&output.stdout))
        .map_err(|why| format!("{}: {why}", library.display()))
}

fn parse(output: &str) -> Result<Loaded> {
    let line = output.lines().rev().find_map(|line| line.strip_prefix(MARK));
    let line = line.ok_or("the plugin ended its process while it was loaded")?;
    let probe: Probe = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let problem = || probe.problem.unwrap_or("it did not load".into());
    probe.loaded.ok_or_else(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_probe_counts() {
        let lines = r#"noise
hloom-probe:{"loaded":null,"client":null,"problem":"p"}
hloom-probe:{"loaded":{"api_version":[0,81],"attributes":{},"extensions":[{"number":5,"name":"FFI","bytes":48},{"number":99,"name":null,"bytes":8}]},"client":null,"problem":null}
noise"#;
        let loaded = parse(lines).unwrap();
        assert_eq!((loaded.version(), loaded.extension_names()), ("0.81".into(), "FFI, 99".into()));
        let first: Vec<&str> = lines.lines().take(2).collect();
        assert_eq!(parse(&first.join("\n")), Err("p".into()));
        assert!(parse("").unwrap_err().contains("ended its process"));
    }
}
