//! Children that a program has taken over: scripts that give wrong answers.

use super::numbers;
use hloom_pjrt::CompileOptions;
use hloom_sandbox::{Argument, Error, Limits, Program, Sandbox, Session, Target, Work};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The action of a child at its next request.
enum Act<'a> {
    /// Sends a message, and the bytes after it.
    Answer(&'a str, &'a [u8]),
    /// Sends bytes.
    Bytes(&'a [u8]),
    /// Never answers.
    Wait,
}

use Act::{Answer, Bytes, Wait};

const STARTED: Act<'_> = Answer(r#"{"Started":{"platform":"cpu","version":"1"}}"#, b"");

const LIMITS: Limits = Limits {
    memory: 1 << 20,
    threads: 1000,
    start: Duration::from_secs(20),
    compile: Duration::from_secs(1),
    bind: Duration::from_secs(1),
    call: Duration::from_secs(1),
};

/// Starts a script that does these acts one after the other, each when a request comes, and then
/// ends. It reads its answers from the folder.
fn start(acts: &[Act<'_>]) -> Result<(Session, TempDir), Error> {
    start_after("", acts, |sandbox| sandbox.limits(LIMITS).start("no plugin", 1))
}

/// The same for a script that begins with these commands.
fn start_after(
    commands: &str,
    acts: &[Act<'_>],
    start: impl FnOnce(Sandbox) -> Result<Session, Error>,
) -> Result<(Session, TempDir), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut script = format!("#!/bin/sh\ncd {}\n{commands}\n", folder.path().display());
    for (index, act) in acts.iter().enumerate() {
        script.push_str("/bin/dd bs=1M count=1 of=/dev/null 2>/dev/null\n");
        let bytes = match act {
            Answer(message, rest) => {
                let length = u32::try_from(message.len()).expect("a short message");
                [&length.to_le_bytes(), message.as_bytes(), *rest].concat()
            }
            Bytes(bytes) => bytes.to_vec(),
            Wait => {
                script.push_str("exec /bin/sleep 100\n");
                break;
            }
        };
        let file = folder.path().join(index.to_string());
        fs::write(&file, bytes).expect("the answer is written");
        script.push_str(&format!("/bin/cat {} >&0\n", file.display()));
    }
    let program = folder.path().join("child");
    write_program(&program, &script);
    Ok((start(Sandbox::new().program(&program))?, folder))
}

/// Writes a script with `cp`: a program that this process had open for writing cannot be run while
/// a child of another thread has inherited the descriptor.
fn write_program(path: &Path, text: &str) {
    let source = path.with_extension("sh");
    fs::write(&source, text).expect("the script is written");
    fs::set_permissions(&source, fs::Permissions::from_mode(0o700)).expect("it can be run");
    let copied = std::process::Command::new("cp").arg("-p").arg(&source).arg(path).status();
    assert!(copied.expect("cp runs").success());
}

/// The answer to `Compile`: a program with these parameters and results.
fn interface(parameters: &str, results: &str) -> String {
    format!(
        r#"{{"Compiled":{{"program":0,"interface":{{"name":"main","devices":1,
        "parameters":[{parameters}],"donatable":[],"results":[{results}],"custom_calls":[],
        "tilings":null}}}}}}"#
    )
}

/// A vector of two `f32`.
const VECTOR: &str = r#"{"dtype":11,"dims":[2]}"#;

fn compile(session: &Session) -> Result<Program, Error> {
    session.compile(b"func.func @main() { return }", &CompileOptions::new())
}

/// The error of a call, without arguments and with one result of two `f32`, that is answered so.
#[track_caller]
fn call_error(act: Act<'_>) -> Error {
    let compiled = interface("", VECTOR);
    let (session, _folder) =
        start(&[STARTED, Answer(&compiled, b""), act]).expect("the child starts");
    let program = compile(&session).expect("the program compiles");
    let error = program.call(&[]).map(drop).unwrap_err();
    assert!(matches!(program.call(&[]).map(drop), Err(Error::Dead(_))));
    assert!(!Path::new(&format!("/proc/{}", session.process_id())).exists(), "it was killed");
    error
}

#[track_caller]
fn assert_protocol(error: &Error, work: Work, expected: &str) {
    let is_protocol = matches!(error, Error::Protocol { work: found, .. } if *found == work);
    assert!(is_protocol && error.to_string().contains(expected), "{error}");
}

#[test]
fn right_answers_are_results() {
    let compiled = interface("", VECTOR);
    let result = [1.0f32, 2.0].map(f32::to_ne_bytes).concat();
    let acts = [STARTED, Answer(&compiled, b""), Answer("\"Returned\"", &result)];
    let (session, _folder) = start(&acts).expect("the child starts");
    let results = compile(&session).expect("the program compiles").call(&[]);
    assert_eq!(numbers(&results.expect("the call returns")[0]), [1.0, 2.0]);
}

fn one_device() -> Target {
    Target { devices: 1, ..Target::default() }
}

#[test]
fn processes_that_it_started_end_with_it() {
    // The parent of the first one has ended.
    let commands = "(/bin/sleep 100 & echo $! >one) & /bin/sleep 100 & echo $! >two\n\
                    while [ ! -s one ]; do /bin/sleep 0.01; done";
    let ahead = |sandbox: Sandbox| sandbox.limits(LIMITS).start_ahead("none", &one_device());
    let (session, folder) = start_after(commands, &[STARTED], ahead).expect("the child starts");
    let is_alive = |file: &str| {
        let process = fs::read_to_string(folder.path().join(file)).expect("its number");
        let stat = fs::read_to_string(format!("/proc/{}/stat", process.trim()));
        stat.is_ok_and(|stat| !stat.contains(" Z "))
    };
    assert!(is_alive("one") && is_alive("two"));
    drop(session);
    let start = Instant::now();
    while is_alive("one") || is_alive("two") {
        assert!(start.elapsed() < Duration::from_secs(10), "a process outlives the session");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn processes_that_it_started_count_as_its_threads() {
    let commands = "for one in 1 2 3 4 5 6; do /bin/sleep 100 & done";
    let started = |threads| {
        let limits = Limits { threads, ..LIMITS };
        let ahead = |it: Sandbox| it.limits(limits).start_ahead("none", &one_device());
        start_after(commands, &[STARTED, Wait], ahead).and_then(|(session, _)| compile(&session))
    };
    let error = started(5).unwrap_err();
    assert!(matches!(error, Error::ThreadLimit { limit: 5, .. }), "{error}");
    let error = started(50).unwrap_err();
    assert!(matches!(error, Error::TimeLimit { .. }), "{error}");
}

#[test]
fn wrong_starts_are_errors() {
    let start_error = |act| start(&[act]).map(drop).unwrap_err();
    let freed = start_error(Answer("\"Freed\"", b""));
    assert_protocol(&freed, Work::Start, "`Freed`, which answers another request");
    assert_protocol(&start_error(Bytes(b"\x04\0\0\0abcd")), Work::Start, "expected value");
    let long = start_error(Bytes(b"\xff\xff\xff\xff"));
    assert_protocol(&long, Work::Start, "a message of 4294967295 bytes, expected at most");
    let ended = start_error(Bytes(b""));
    assert!(matches!(&ended, Error::Ended { status, .. } if status == "exit status: 0"), "{ended}");
    let missing = start_error(Answer(r#"{"Unsupported":{"missing":"seccomp"}}"#, b""));
    assert_eq!(missing.to_string(), "a sandbox needs seccomp, which this system does not have");
}

#[test]
fn wrong_descriptions_are_errors() {
    let compile_error = |parameters: &str, results: &str| {
        let compiled = interface(parameters, results);
        let (session, _folder) =
            start(&[STARTED, Answer(&compiled, b"")]).expect("the child starts");
        compile(&session).map(drop).unwrap_err()
    };
    let negative = compile_error("", r#"{"dtype":11,"dims":[-2]}"#);
    assert_protocol(&negative, Work::Compile, "dimensions [-2]");
    let unknown = compile_error(r#"{"name":null,"array":{"dtype":999,"dims":[]}}"#, "");
    assert_protocol(&unknown, Work::Compile, "type 999");
    let text = compile_error("", r#"{"dtype":"f32","dims":[]}"#);
    assert_protocol(&text, Work::Compile, "invalid type");
    let large = compile_error("", r#"{"dtype":6,"dims":[1048577]}"#);
    assert!(matches!(large, Error::TooLarge { found: 1_048_577, .. }), "{large}");
}

#[test]
fn wrong_answers_to_calls_are_errors() {
    let other = call_error(Answer(r#"{"Bound":{"value":0}}"#, b""));
    assert_protocol(&other, Work::Call, "`Bound`, which answers another request");
    let more = call_error(Answer("\"Returned\"", b"12345678and more"));
    assert_protocol(&more, Work::Call, "more bytes than the answer has");
    let fewer = call_error(Answer("\"Returned\"", b"1234"));
    assert!(matches!(fewer, Error::Ended { work: Work::Call, .. }), "{fewer}");
    let silent = call_error(Wait);
    assert_eq!(silent.to_string(), "a call in the sandbox took longer than its limit of 1s");
}

#[test]
fn a_child_that_does_not_read_is_killed_at_the_limit() {
    let compiled = interface(r#"{"name":null,"array":{"dtype":6,"dims":[1000000]}}"#, "");
    let (session, _folder) =
        start(&[STARTED, Answer(&compiled, b""), Wait]).expect("the child starts");
    let program = compile(&session).expect("the program compiles");
    let argument = vec![0; 1_000_000];
    let error = program.call(&[Argument::Bytes(&argument)]).map(drop).unwrap_err();
    assert!(matches!(error, Error::TimeLimit { work: Work::Call, .. }), "{error}");
}
