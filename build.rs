//! Stops a build that could not link, with the names of the packages that are missing.

#[path = "build/toolchain.rs"]
mod toolchain;

use std::process::ExitCode;

/// Environment variables that decide where is looked.
const VARIABLES: [&str; 5] =
    ["MLIR_SYS_220_PREFIX", "TABLEGEN_220_PREFIX", "LIBCLANG_PATH", "LIBRARY_PATH", "CXX"];

/// For set-ups that the check does not understand; set it to anything.
const SKIP: &str = "HLOOM_SKIP_TOOLCHAIN_CHECK";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/toolchain.rs");
    for variable in VARIABLES.into_iter().chain([SKIP]) {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    if std::env::var_os("CARGO_FEATURE_MLIR").is_none() {
        return ExitCode::SUCCESS;
    }
    // The documentation builder has no LLVM, and links nothing.
    if [SKIP, "DOCS_RS"].iter().any(|name| std::env::var_os(name).is_some()) {
        return ExitCode::SUCCESS;
    }
    let toolchain = toolchain::look(&|name| std::env::var(name).ok());
    if toolchain.missing.is_empty() {
        for path in &toolchain.found {
            println!("cargo::rerun-if-changed={}", path.display());
        }
        return ExitCode::SUCCESS;
    }
    eprintln!("{}", toolchain.report());
    eprintln!("`cargo xtask setup` installs it where it can; {SKIP}=1 builds without this check");
    ExitCode::FAILURE
}
