//! Everything that a change has to pass, on a clean clone of a machine that may have nothing but
//! Rust.

use crate::{Result, bindings, book, browser, cargo, deny, format, plugins, setup, test};
use std::time::Instant;

/// The plugins whose compilers need no device.
const COMPILERS: [&str; 2] = ["cuda13", "tpu"];

/// Runs each step, and stops at the first that fails.
///
/// # Errors
/// The step's.
pub fn run() -> Result {
    let start = Instant::now();
    let step = |name: &str| println!("\n== {name} ({} s) ==", start.elapsed().as_secs());
    step("format");
    format::run(false)?;
    step("set-up");
    setup::run()?;
    // So that the tests that need it run.
    browser::ensure()?;
    step("dependencies");
    deny::run(false)?;
    step("lints");
    let lints = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
    cargo::run(cargo::command(&lints))?;
    step("without LLVM");
    without_llvm()?;
    step("documentation");
    let mut documentation = cargo::command(&["doc", "--workspace", "--no-deps", "--quiet"]);
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    cargo::run(documentation)?;
    step("guide");
    book::run()?;
    step("packages");
    packages()?;
    step("bindings");
    bindings::run(true)?;
    // Another CPU plugin than the default one, so that differences between them are found.
    step("another plugin");
    plugins::test::run(&["cpu81".to_owned()], Some("hloom-runtime"))?;
    // Last, so that the counts of its tests close the output.
    step("tests");
    test::run(&COMPILERS.map(str::to_owned), &[])?;
    step("done");
    Ok(())
}

/// The packages that build from LLVM.
const NEED_LLVM: [&str; 5] = ["bindgen", "clang-sys", "melior", "mlir-sys", "tblgen"];

/// Packages the crates that are published.
fn packages() -> Result {
    let mut command =
        cargo::command(&["package", "--workspace", "--no-verify", "--allow-dirty", "--quiet"]);
    let kept = [
        "compile-fail",
        "fake-plugin",
        "hloom-cli",
        "hloom-doctor",
        "hloom-test-support",
        "xtask",
        "xtask-bindings",
    ];
    for kept in kept {
        command.args(["--exclude", kept]);
    }
    cargo::run(command)
}

/// Lints the build without the feature `mlir`, and checks that nothing in it needs LLVM.
fn without_llvm() -> Result {
    let rust_only = ["--package", "hloom", "--no-default-features"];
    let mut lints = cargo::command(&[
        "clippy",
        "--quiet",
        "--package",
        "hloom-runtime",
        "--package",
        "hloom-stablehlo",
    ]);
    lints.args(rust_only).args(["--", "-D", "warnings"]);
    cargo::run(lints)?;
    let mut tree = cargo::command(&["tree", "--edges", "normal,build", "--prefix", "none"]);
    let tree = tree
        .args(rust_only)
        .output()
        .map_err(|error| format!("cannot run `cargo tree`: {error}"))?;
    if !tree.status.success() {
        return Err(format!("`cargo tree`: {}", String::from_utf8_lossy(&tree.stderr)));
    }
    let tree = String::from_utf8_lossy(&tree.stdout).into_owned();
    let packages: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    match NEED_LLVM.iter().find(|name| packages.contains(name)) {
        Some(name) => Err(format!("`{name}` needs LLVM, and the feature `mlir` is off")),
        None if packages.contains(&"hloom-stablehlo") => Ok(()),
        None => Err("`cargo tree` does not show what is built".into()),
    }
}
