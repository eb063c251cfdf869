//! Runs of the command.

use serde_json::Value;
use std::{
    ffi::OsStr,
    process::{Command, Output, Stdio},
};

/// The command with the CPU plugin, which it does not have to search for, and without a cache.
pub fn hloom<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hloom"));
    command.args(arguments).stdin(Stdio::null());
    command.env("HLOOM_PLUGIN_CPU", hloom_test_support::plugin_path());
    command.env_remove("HLOOM_CACHE");
    command
}

/// The standard output of a command, which must succeed.
#[track_caller]
pub fn stdout(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("the command runs");
    assert!(status.success(), "{command:?}: {status}\n{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("UTF-8")
}

/// The JSON that a command that succeeds writes.
#[track_caller]
pub fn json(command: &mut Command) -> Value {
    serde_json::from_str(&stdout(command)).expect("JSON")
}

/// The error of a command that fails as it should: one line, and no output.
#[track_caller]
pub fn error(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("the command runs");
    let stderr = String::from_utf8(stderr).expect("UTF-8");
    assert_eq!(status.code(), Some(1), "{command:?}: {stderr}");
    assert!(stdout.is_empty(), "{}", String::from_utf8_lossy(&stdout));
    let message = stderr.strip_prefix("error: ").unwrap_or_else(|| panic!("{stderr}"));
    assert_eq!(message.lines().count(), 1, "{message}");
    message.trim_end().to_owned()
}
