//! Each op in each element type on a plugin, as `cargo xtask doctor --ops` shows it.
//!
//! The cases and their expected results are those of the op suite. A plugin may end the process, or
//! never return: the suite is then restarted, and continues after the op that it stopped at.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    time::Duration,
};

use pjrt_plugins::{Companions, Installer};
use serde_json::{Value, json};

use super::{
    probe,
    suite::{self, TestProgram},
};
use crate::Result;

/// Begins a line of the suite.
const MARK: &str = "hloom-survey:";

/// The time limit of one op, including the start of the plugin.
const LIMIT: Duration = Duration::from_secs(120);

/// An op of the suite in an element type, and its failure, if any.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    op: String,
    lack: Option<String>,
}

/// Tries every op on the plugin with this name or file, and prints the ops that fail.
///
/// # Errors
/// There is no such plugin, it does not load, or the suite cannot be built.
pub fn run(plugin: &str, json: bool) -> Result {
    let library = library(plugin)?;
    // The probe, in a process of its own, reports why a plugin does not load.
    probe::run(&library, &BTreeMap::new())?;
    let suite = suite::build(&["--package", "hloom", "--test", "it"])?;
    let suite = suite.first().ok_or("the op suite was not built")?;
    let findings = findings(suite, &library)?;
    if json {
        println!("{:#}", as_json(&library, &findings))
    } else {
        print!("{}", as_text(&library, &findings))
    }
    Ok(())
}

/// The file of a plugin: the path itself, or that of the plugin of this name, which is installed.
fn library(plugin: &str) -> Result<PathBuf> {
    let file = Path::new(plugin);
    if file.is_file() {
        return file.canonicalize().map_err(|error| format!("{plugin}: {error}"));
    }
    let manifest = pjrt_plugins::manifest(plugin).map_err(|error| error.to_string())?;
    let installed =
        Installer::new().and_then(|installer| installer.ensure(&manifest, Companions::Auto));
    Ok(installed.map_err(|error| error.to_string())?.library)
}

fn findings(suite: &TestProgram, library: &Path) -> Result<Vec<Finding>> {
    let mut tried =
        tempfile::NamedTempFile::new().map_err(|error| format!("a temporary file: {error}"))?;
    let mut findings = Vec::new();
    loop {
        let mut command = Command::new(&suite.executable);
        command
            .args(["ops::", "--test-threads=1", "--nocapture"])
            .current_dir(&suite.folder)
            .env("HLOOM_SURVEY_PLUGIN", library)
            .env("HLOOM_SURVEY_TRIED", tried.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let child = command.spawn();
        let child =
            child.map_err(|error| format!("cannot run {}: {error}", suite.executable.display()))?;
        let before = findings.len();
        match follow(child, LIMIT, &mut findings) {
            End::Whole if findings.is_empty() => {
                return Err(format!("{}: the suite ran nothing", library.display()));
            }
            End::Whole => return Ok(findings),
            End::At(op, why) => findings.push(Finding { op, lack: Some(why) }),
        }
        for finding in &findings[before..] {
            let written = writeln!(tried, "{}", finding.op).and_then(|()| tried.flush());
            written.map_err(|error| format!("{}: {error}", tried.path().display()))?;
        }
    }
}

/// The end of a run of the suite.
enum End {
    /// The run ended after its last op.
    Whole,
    /// The run ended at an op, for this reason.
    At(String, String),
}

/// Reads the results of the suite until it ends, or until an op takes longer than `limit`.
fn follow(mut child: Child, limit: Duration, findings: &mut Vec<Finding>) -> End {
    let (sender, lines) = channel();
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(output.expect("the output is piped"))
            .lines()
            .map_while(std::io::Result::ok)
        {
            // The first output of a test follows its name on the same line.
            if let Some((_, said)) = line.split_once(MARK)
                && sender.send(said.to_owned()).is_err()
            {
                return;
            }
        }
    });
    let mut current: Option<String> = None;
    let hangs = loop {
        let said = match lines.recv_timeout(limit) {
            Ok(said) => said,
            Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) => break true,
        };
        match said.split_once(' ') {
            Some(("try", op)) => current = Some(op.to_owned()),
            Some(("lacks", why)) => {
                let lack = Some(why.to_owned());
                findings.extend(current.take().map(|op| Finding { op, lack }));
            }
            _ => findings.extend(current.take().map(|op| Finding { op, lack: None })),
        }
    };
    if hangs {
        // The process may already have ended.
        let _ = child.kill();
    }
    let status = child.wait();
    drop(lines);
    // The thread ends with the process, whose output it reads.
    let _ = reader.join();
    match (current, status) {
        (Some(op), _) if hangs => {
            End::At(op, format!("it does not return within {} s", limit.as_secs()))
        }
        (Some(op), Ok(status)) => End::At(op, format!("it ends the process: {status}")),
        (Some(op), Err(error)) => End::At(op, error.to_string()),
        (None, _) => End::Whole,
    }
}

fn as_json(library: &Path, findings: &[Finding]) -> Value {
    let each = |finding: &Finding| json!({ "op": finding.op, "lacks": finding.lack });
    json!({ "plugin": library, "ops": findings.iter().map(each).collect::<Vec<_>>() })
}

fn as_text(library: &Path, findings: &[Finding]) -> String {
    let lacks: Vec<(&str, &str)> = findings
        .iter()
        .filter_map(|finding| Some((finding.op.as_str(), finding.lack.as_deref()?)))
        .collect();
    let held = findings.len() - lacks.len();
    let mut text =
        format!("{}: {held} of {} ops and element types hold\n", library.display(), findings.len());
    for (op, why) in lacks {
        text += &format!("  {op}: {}\n", shortened(why));
    }
    text
}

/// The first 200 characters.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(script: &str, limit: Duration) -> (Vec<Finding>, Option<(String, String)>) {
        let child = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn();
        let mut findings = Vec::new();
        let end = follow(child.expect("a shell"), limit, &mut findings);
        let at = match end {
            End::Whole => None,
            End::At(op, why) => Some((op, why)),
        };
        (findings, at)
    }

    #[test]
    fn what_the_suite_says_is_found() {
        let script = "echo 'test a ... hloom-survey:try unary/exp f32'; echo hloom-survey:holds; \
             echo 'hloom-survey:try unary/exp f64'; echo 'hloom-survey:lacks 3 ulps'; echo 'ok'";
        let (findings, at) = followed(script, LIMIT);
        assert_eq!(at, None);
        let text = as_text(Path::new("p.so"), &findings);
        assert_eq!(text, "p.so: 1 of 2 ops and element types hold\n  unary/exp f64: 3 ulps\n");
        assert_eq!(as_json(Path::new("p.so"), &findings)["ops"][0]["lacks"], Value::Null);
    }

    #[test]
    fn an_op_that_ends_the_process_or_hangs_is_told() {
        let begun = "echo 'hloom-survey:try unary/exp f32'";
        let (_, at) = followed(&format!("{begun}; kill -9 $$"), LIMIT);
        let (op, why) = at.expect("it stopped at an op");
        assert_eq!(op, "unary/exp f32");
        assert!(why.contains("ends the process"), "{why}");
        let (_, at) = followed(&format!("{begun}; exec sleep 100"), Duration::from_millis(100));
        assert!(at.expect("it stopped at an op").1.contains("does not return"));
    }
}
