//! Tests under ThreadSanitizer.

use std::{
    path::Path,
    process::{Command, Output},
};

use crate::{Result, cargo, setup};

/// The tests: packages, their targets, and words of which a test's name contains one (none: all
/// tests).
const TESTS: [&str; 4] = [
    "--package hloom-kernels --lib -- workers",
    "--package hloom-ffi --lib",
    "--package hloom-pjrt --lib",
    "--package hloom-pjrt --test it -- threads shared event",
];

/// Libraries that are not instrumented: the sanitizer does not see how they synchronize. The plugin
/// calls those of C++.
const SUPPRESSIONS: &str = "\
called_from_lib:libpjrt_cpu.so
race:libpjrt_cpu.so
mutex:libpjrt_cpu.so
called_from_lib:xla_cpu_pjrt.so
race:xla_cpu_pjrt.so
mutex:xla_cpu_pjrt.so
mutex:libstdc++.so
mutex:libgcc_s.so
deadlock:libgcc_s.so
";

/// Runs the tests with an instrumented standard library, or with the toolchain's own if `prebuilt`,
/// whose synchronization is partly invisible: reports may then be false.
///
/// # Errors
/// The nightly toolchain or the sources of its standard library are missing, the set-up's, or there
/// was a report.
pub fn run(prebuilt: bool) -> Result {
    let (host, sysroot) = (ask("host-tuple")?, ask("sysroot")?);
    if !prebuilt && !Path::new(&sysroot).join("lib/rustlib/src/rust/library/Cargo.lock").exists() {
        return Err("the sources of nightly's standard library are missing: `rustup component \
                    add rust-src --toolchain nightly`; `--prebuilt-std` does without them, with \
                    false reports"
            .into());
    }
    setup::run()?;
    let folder = cargo::workspace().join("target/tsan");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let suppressions = folder.join("suppressions");
    std::fs::write(&suppressions, SUPPRESSIONS)
        .map_err(|error| format!("{}: {error}", suppressions.display()))?;
    for tests in TESTS {
        let mut command = Command::new("rustup");
        command
            .args(["run", "nightly", "cargo", "test", "--target", &host, "--target-dir"])
            .arg(&folder);
        let mut flags = "-Zsanitizer=thread".to_owned();
        if prebuilt {
            flags += " -Cunsafe-allow-abi-mismatch=sanitizer";
        } else {
            command.arg("-Zbuild-std");
        }
        command
            .args(tests.split_whitespace())
            .env("RUSTFLAGS", flags)
            .current_dir(cargo::workspace());
        command.env("TSAN_OPTIONS", format!("suppressions={}", suppressions.display()));
        cargo::run(command)?;
    }
    Ok(())
}

/// The version information of nightly's compiler.
fn ask(what: &str) -> Result<String> {
    let output = Command::new("rustup").args(["run", "nightly", "rustc", "--print", what]).output();
    match output {
        Ok(Output { status, stdout, .. }) if status.success() => {
            Ok(String::from_utf8_lossy(&stdout).trim().to_owned())
        }
        _ => Err("the nightly toolchain is missing: `rustup toolchain install nightly \
                  --component rust-src`"
            .into()),
    }
}
