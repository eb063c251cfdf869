//! Programs of a workspace that tests run.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// The folder of the examples that a test of the package in `workspace` runs, built where they are
/// not up to date, in the profile of the test.
///
/// # Panics
/// They do not build.
pub fn examples(cargo: &str, workspace: &str, names: &[&str]) -> PathBuf {
    let names: Vec<&str> = names.iter().flat_map(|name| ["--example", name]).collect();
    build(cargo, workspace, &names).join("examples")
}

/// The program that is the child of sandboxes, built as [`examples`] builds.
///
/// # Panics
/// It does not build.
pub fn sandbox_program(cargo: &str, workspace: &str) -> PathBuf {
    build(cargo, workspace, &["--bin", "hloom-sandbox"]).join("hloom-sandbox")
}

/// Builds targets of the workspace, and returns the folder of the profile.
fn build(cargo: &str, workspace: &str, targets: &[&str]) -> PathBuf {
    let test = env::current_exe().expect("a test program has a file");
    let profile = test.ancestors().nth(2).expect("it is in the folder of its profile");
    let target = profile.parent().expect("a profile is in the target folder");
    let mut cargo = Command::new(cargo);
    // Builds the whole workspace, with the features of the test itself, so that no crate is built
    // twice.
    cargo.args(["build", "--quiet", "--workspace", "--target-dir"]).arg(target).args(targets);
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    // Build scripts watch the variables that cargo sets for a test: with them set, the scripts and
    // all crates that depend on them would be rebuilt, now and by the next cargo without them.
    let is_told = |name: &str| {
        name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name == "OUT_DIR"
    };
    for (name, _) in env::vars_os() {
        if is_told(&name.to_string_lossy()) {
            cargo.env_remove(&name);
        }
    }
    let status = cargo.current_dir(Path::new(workspace)).status().expect("cargo starts");
    assert!(status.success(), "{targets:?} do not build");
    profile.to_owned()
}
