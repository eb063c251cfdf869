//! Everything that a change has to pass, on a clean clone of a machine that may have nothing but
//! Rust.

use std::process::Command;

use crate::{
    Result, bindings, book, browser, cargo, check,
    deny::{self, Advisories},
    gpu, plugins, setup,
    steps::Steps,
    test,
};

/// The plugins whose compilers need no device.
const COMPILERS: [&str; 2] = ["cuda13", "tpu"];

/// Runs each step, and stops at the first that fails. A table of the steps and their time follows
/// the last one; only the counts of its tests come later.
///
/// # Errors
/// The step's.
pub fn run() -> Result {
    let mut steps = Steps::default();
    before_tests(&mut steps).inspect_err(|_| print!("\n{}", closing(&steps)))?;
    // The tests run last, so that their counts end the output.
    steps.begin("tests");
    test::run_before(&COMPILERS.map(str::to_owned), &[], &|| closing(&steps))
}

fn before_tests(steps: &mut Steps) -> Result {
    steps.begin("set-up");
    setup::run()?;
    // Installs the browser, so that the tests that need it run.
    browser::ensure()?;
    // The checks run first, so that a stale generated file is not found only after an hour.
    check::each(false, steps)?;
    steps.begin("dependencies");
    deny::run(Advisories::IfReachable)?;
    steps.begin("guide");
    book::run()?;
    steps.begin("packages");
    packages()?;
    steps.begin("bindings");
    bindings::test()?;
    steps.begin("bundle for GPUs");
    gpu::check::run(gpu::check::Extent::Fast)?;
    // Runs the tests on a second CPU plugin, so that differences between plugins are found.
    steps.begin("another plugin");
    plugins::test::run(&["cpu81".to_owned()], Some("hloom-runtime"))
}

/// The table of the steps, and the size of the build outputs.
fn closing(steps: &Steps) -> String {
    let mut du = Command::new("du");
    let size = du.arg("-sh").arg(cargo::target()).output();
    let size = size.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let size = size.ok().and_then(|text| Some(text.split_whitespace().next()?.to_owned()));
    format!("{}target: {}\n", steps.table(), size.as_deref().unwrap_or("of unknown size"))
}

/// Packages the crates that are published.
fn packages() -> Result {
    let mut command =
        cargo::command(&["package", "--workspace", "--no-verify", "--allow-dirty", "--quiet"]);
    let kept = [
        "compile-fail",
        "fake-plugin",
        "hloom-cli",
        "hloom-doctor",
        "hloom-gpu",
        "hloom-llama",
        "hloom-op-suite",
        "hloom-test-support",
        "xtask",
        "xtask-bindings",
    ];
    for kept in kept {
        command.args(["--exclude", kept]);
    }
    cargo::run(command)
}
