//! A program that is the child of its own sandbox.

use hloom_test_support::plugin_path;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

fn run(plugin: &Path, text: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.mlir");
    fs::write(&file, text).expect("the program is written");
    // In a folder without `hloom-sandbox`, so that it has to be its own child.
    let program = folder.path().join("other-name");
    fs::copy(env!("CARGO_BIN_EXE_hloom-sandbox"), &program).expect("the program is copied");
    let shell = format!("exec {} {} {}", program.display(), plugin.display(), file.display());
    Command::new("/bin/sh").args(["-c", &shell]).output().expect("the program runs")
}

#[test]
fn it_compiles_in_a_sandbox() {
    let text = "func.func @main(%x: tensor<2x3xf32>, %n: tensor<i32>) -> tensor<2x3xf32> {
      %y = stablehlo.negate %x : tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }";
    let output = run(plugin_path(), text);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<_> = stdout.lines().collect();
    assert!(lines[0].starts_with("parameter 0: f32[2,3] "), "{stdout}");
    assert!(lines[1].starts_with("parameter 1: s32[] "), "{stdout}");
    assert_eq!(lines[2..], ["result 0: f32[2,3]"]);
}

#[test]
fn errors_are_one_line_without_sequences_of_terminals() {
    let output = run(plugin_path(), "func.func @main() { \u{1b}[31m }");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.starts_with("error: compiling in the sandbox: "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(!stderr.contains('\u{1b}'), "{stderr}");
}
