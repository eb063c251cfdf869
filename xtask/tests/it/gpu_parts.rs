//! The script that runs the parts of the proof on a GPU, with a stand-in for its program.

use serde_json::Value;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
    time::{Duration, Instant},
};

/// Writes a line, then does what the part's name says.
const PROGRAM: &str = r#"#!/usr/bin/env bash
results= part=
while [ $# -gt 0 ]; do
    case $1 in
        --results) results=$2; shift ;;
        table) echo "table of $(wc -l <"$2") lines"; exit 0 ;;
        -*) ;;
        *) part=$1 ;;
    esac
    shift
done
printf '{"bench":"gpu/%s/begun","value":1}\n' "$part" >>"$results"
case $part in
    aborts) printf '{"bench":"gpu/ab' >>"$results"; kill -ABRT $$ ;;
    hangs) sleep 60 & echo "child $!"; sleep 60 ;;
    ignores) trap '' TERM; for _ in $(seq 60); do sleep 1; done ;;
    fails) echo 'a "reason"'; exit 1 ;;
    explains) printf '{"bench":"gpu/explains","value":0}\n' >>"$results"; exit 1 ;;
    passes) ;;
esac
"#;

/// Runs `run.sh` with `arguments` after the folder of results.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/gpu/run.sh");
    let (own, program) = (folder.join("run.sh"), folder.join("hloom-gpu"));
    fs::copy(script, &own).expect("the script is copied");
    fs::write(&program, PROGRAM).expect("a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("may be run");
    Command::new(own).arg(folder.join("out")).args(arguments).output().expect("bash runs")
}

/// The name and the reason of each line of results that is JSON.
fn lines(folder: &Path) -> Vec<(String, Option<String>)> {
    let text = fs::read_to_string(folder.join("out/results.jsonl")).expect("results");
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let text = |value: &Value| value.as_str().map(str::to_owned);
    lines.map(|line| (text(&line["bench"]).expect("a name"), text(&line["why"]))).collect()
}

#[test]
fn a_part_that_ends_early_leaves_its_reason_and_the_next_one_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let begin = Instant::now();
    let parts = "aborts hangs:1 fails explains ignores:1 passes";
    let output = run(folder.path(), &["--platform", "cpu", "--parts", parts]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    // The limits, five seconds of grace for one part, and bash.
    assert!(begin.elapsed() < Duration::from_secs(40), "{:?}", begin.elapsed());
    let mut expected = Vec::new();
    for (part, why) in [
        ("aborts", Some("ended by signal 6")),
        ("hangs", Some("limit of 1 s")),
        ("fails", Some("status 1")),
        ("explains", None),
        ("ignores", Some("limit of 1 s")),
        ("passes", None),
    ] {
        expected.push((format!("gpu/{part}/begun"), None));
        if part != "passes" {
            expected.push((format!("gpu/{part}"), why.map(str::to_owned)));
        }
    }
    assert_eq!(lines(folder.path()), expected);
    let log = fs::read_to_string(folder.path().join("out/log")).expect("a log");
    assert!(log.contains("a \"reason\"") && log.contains("passes: done"), "{log}");
    let child = log.lines().find_map(|line| line.strip_prefix("child ")).expect("a child");
    let state = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{child} outlived its part: {state}");
    let table = fs::read_to_string(folder.path().join("out/table.md")).expect("a table");
    assert_eq!(table, "table of 12 lines\n");
}

#[test]
fn results_of_earlier_runs_are_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for runs in 1..=2 {
        let output = run(folder.path(), &["--quick", "--platform", "cpu", "--parts", "passes"]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(lines(folder.path()), vec![("gpu/passes/begun".to_owned(), None); runs]);
    }
}

#[test]
fn wrong_arguments_are_refused_with_the_usage() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for arguments in [&["--fast"][..], &["--parts"], &["--platform"], &["another folder"]] {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let usage = String::from_utf8_lossy(&output.stderr);
        assert!(usage.contains("run.sh OUT"), "{usage}");
        assert!(!folder.path().join("out").exists());
    }
}
