//! Test programs: built once by cargo, then run on each plugin.

use std::{
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{Result, cargo};

/// The time limit of one program.
const LIMIT: Duration = Duration::from_secs(45 * 60);

/// A test program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestProgram {
    /// Its package.
    pub package: String,
    /// Its target, such as `it`.
    pub name: String,
    /// Its file.
    pub executable: PathBuf,
    /// The folder that it is run in: that of its package.
    pub folder: PathBuf,
}

/// A test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// Its package.
    pub package: String,
    /// Its program.
    pub program: String,
    /// Its path in the program; empty where the program itself failed.
    pub test: String,
}

/// The results of a program's tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Tests that passed.
    pub passed: Vec<Name>,
    /// Tests that failed, and programs that ended before all of their tests.
    pub failed: Vec<Name>,
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let test = if self.test.is_empty() { "(the program)" } else { &self.test };
        write!(f, "{} {} {test}", self.package, self.program)
    }
}

/// Builds the test programs selected by `selection`, which are arguments of cargo, and lists those
/// of packages that use plugins.
///
/// # Errors
/// Cargo's error.
pub fn build(selection: &[&str]) -> Result<Vec<TestProgram>> {
    let metadata = json(&["metadata", "--no-deps", "--format-version", "1"])?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|error| format!("`cargo metadata`: {error}"))?;
    let options = ["--no-run", "--message-format", "json-render-diagnostics"];
    let messages = json(&[&["test"], selection, &options].concat())?;
    Ok(programs(&metadata, &messages))
}

fn json(arguments: &[&str]) -> Result<String> {
    let mut command = cargo::command(arguments);
    let line = cargo::line(&command);
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot run `{line}`: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("`{line}` ended with {}", output.status))
    }
}

fn programs(metadata: &Value, messages: &str) -> Vec<TestProgram> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages: Vec<&Value> = metadata["packages"].as_array().into_iter().flatten().collect();
    let uses_plugins = |package: &Value| {
        let mut needed = package["dependencies"].as_array().into_iter().flatten();
        // The tasks and the doctor depend on `pjrt-plugins` too, but run no programs on plugins.
        needed.any(|needed| needed["name"] == "pjrt-plugins")
            && !text(&package["manifest_path"]).contains("/xtask/")
    };
    let of_message = |message: Value| {
        let is_test =
            message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
        let executable = message["executable"].as_str().filter(|_| is_test)?;
        let package = packages.iter().find(|package| package["id"] == message["package_id"])?;
        let folder = Path::new(package["manifest_path"].as_str()?).parent()?;
        uses_plugins(package).then(|| TestProgram {
            package: text(&package["name"]),
            name: text(&message["target"]["name"]),
            executable: executable.into(),
            folder: folder.to_owned(),
        })
    };
    let messages = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
    messages.filter_map(of_message).collect()
}

/// Runs a program with `arguments` for its harness and this environment, and passes its output on
/// if a test fails.
///
/// # Errors
/// It cannot be started.
pub fn run(
    program: &TestProgram,
    arguments: &[String],
    environment: &[(String, String)],
) -> Result<Outcome> {
    let mut command = Command::new(&program.executable);
    command
        .args(arguments)
        .current_dir(&program.folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.env("CARGO_MANIFEST_DIR", &program.folder).env("CARGO_PKG_NAME", &program.package);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    let child = command.spawn();
    let mut child =
        child.map_err(|error| format!("cannot run {}: {error}", program.executable.display()))?;
    let output = [drain(child.stdout.take()), drain(child.stderr.take())];
    let ended = wait(&mut child, LIMIT);
    let [output, errors] = output.map(|thread| thread.join().unwrap_or_default());
    let outcome = outcome(program, &output, ended.is_ok());
    if !outcome.failed.is_empty() {
        eprintln!("{output}\n{errors}");
    }
    if let Err(why) = ended {
        eprintln!("{} {}: {why}", program.package, program.name);
    }
    Ok(outcome)
}

/// Waits for a program, and ends it after `limit`.
fn wait(child: &mut Child, limit: Duration) -> Result {
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("it ended with {status}")),
            Ok(None) if begin.elapsed() < limit => std::thread::sleep(Duration::from_millis(20)),
            Ok(None) => {
                // The process may already have ended.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it did not end within {} s", limit.as_secs()));
            }
            Err(error) => return Err(format!("cannot wait for it: {error}")),
        }
    }
}

/// Reads a stream to its end while the process runs, which would block on a full pipe.
fn drain(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // After an error, the output so far is used.
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn outcome(program: &TestProgram, output: &str, succeeded: bool) -> Outcome {
    let name = |test: &str| Name {
        package: program.package.clone(),
        program: program.name.clone(),
        test: test.to_owned(),
    };
    let mut outcome = Outcome::default();
    for line in output.lines() {
        let Some((test, result)) =
            line.strip_prefix("test ").and_then(|line| line.split_once(" ... "))
        else {
            continue;
        };
        let test = test.trim_end_matches(" - should panic");
        match result {
            "ok" => outcome.passed.push(name(test)),
            "FAILED" => outcome.failed.push(name(test)),
            _ => {}
        }
    }
    if !succeeded && outcome.failed.is_empty() {
        outcome.failed.push(name(""));
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> TestProgram {
        TestProgram {
            package: "p".into(),
            name: "it".into(),
            executable: "/bin/sh".into(),
            folder: "/".into(),
        }
    }

    #[test]
    fn programs_are_those_of_packages_that_use_plugins() {
        let package = |id: &str, needs: &str| {
            serde_json::json!({
                "id": id,
                "name": id,
                "manifest_path": format!("/w/{id}/Cargo.toml"),
                "dependencies": [{ "name": needs }],
            })
        };
        let packages = [package("a", "pjrt-plugins"), package("b", "serde")];
        let metadata = serde_json::json!({ "packages": packages });
        let message = |id: &str, test: bool| {
            let executable = format!("/t/{id}");
            serde_json::json!({
                "reason": "compiler-artifact",
                "package_id": id,
                "profile": { "test": test },
                "executable": executable,
                "target": { "name": "it" },
            })
            .to_string()
        };
        let messages =
            [message("a", true), message("a", false), message("b", true), "noise".into()]
                .join("\n");
        let expected = TestProgram {
            package: "a".into(),
            name: "it".into(),
            executable: "/t/a".into(),
            folder: "/w/a".into(),
        };
        assert_eq!(programs(&metadata, &messages), [expected]);
    }

    #[test]
    fn a_program_that_dies_before_its_tests_end_has_failed() {
        let output = "running 3 tests\ntest a ... ok\ntest b - should panic ... ok\ntest c ... \
                      ignored, slow\n";
        let passed = outcome(&program(), output, true);
        assert_eq!((passed.passed.len(), passed.failed.len()), (2, 0));
        let died = outcome(&program(), output, false);
        assert_eq!(died.failed[0].to_string(), "p it (the program)");
        let failed = outcome(&program(), "test a::b ... FAILED", false);
        assert_eq!(failed.failed[0].to_string(), "p it a::b");
    }

    #[test]
    fn a_program_runs_in_its_folder_with_its_environment_and_an_end() {
        let script = "echo \"test $PWD:$X ... ok\"; exit 3".to_owned();
        let found = run(&program(), &["-c".into(), script], &[("X".into(), "y".into())]).unwrap();
        assert_eq!((found.passed[0].test.as_str(), found.failed.len()), ("/:y", 1));
        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        assert!(wait(&mut child, Duration::from_millis(50)).unwrap_err().contains("did not end"));
    }
}
