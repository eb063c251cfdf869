//! The error of the campaign in Miri where it cannot run.

use std::process::Command;

/// Standard error of `cargo xtask campaign miri` where no program can be found, which must fail.
fn failure(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["campaign", "miri"]).args(arguments).env("PATH", "/nowhere");
    let output = command.output().unwrap();
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn where_miri_is_missing_the_message_says_how_to_install_it() {
    let install = "rustup toolchain install nightly --profile minimal --component miri,rust-src";
    assert_eq!(
        failure(&["graph"]),
        format!("error: Miri is missing: install it with `{install}`\n")
    );
}

#[test]
fn a_part_that_does_not_exist_lists_those_that_do() {
    assert_eq!(
        failure(&["disk"]),
        "error: there is no part `disk`; there are graph, io, kernels, pjrt\n"
    );
}
