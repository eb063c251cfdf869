//! `cargo xtask` as a command: the parts that it finds and reports as missing, and its speed.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
    time::{Duration, Instant},
};

use tempfile::TempDir;

fn xtask(arguments: &[&str], cache: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments).env("XDG_CACHE_HOME", cache);
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A prefix with an `llvm-config` that prints `version`, and empty files for the rest.
fn fake_prefix(root: &Path, version: &str) {
    for folder in ["bin", "lib", "include/mlir-c"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for file in [
        "lib/libLLVMCore.a",
        "lib/libMLIRCAPIIR.a",
        "lib/libPolly.a",
        "lib/libclang.so.22",
        "bin/mlir-tblgen",
        "bin/clang",
        "include/mlir-c/IR.h",
    ] {
        fs::write(root.join(file), "").unwrap();
    }
    // Creates these libraries, so that the result is the same on a machine without them.
    for library in ["zstd", "z", "xml2", "z3"] {
        fs::write(root.join(format!("lib/lib{library}.a")), "").unwrap();
    }
    let program = root.join("bin/llvm-config");
    fs::write(&program, format!("#!/bin/sh\necho {version}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
}

fn check_with_prefix(prefix: &Path, cache: &Path) -> Output {
    xtask(&["setup", "--check"], cache)
        .env("MLIR_SYS_220_PREFIX", prefix)
        .env("TABLEGEN_220_PREFIX", prefix)
        .env("LIBCLANG_PATH", prefix.join("lib"))
        .env("CXX", "true")
        .output()
        .unwrap()
}

#[test]
fn check_names_every_missing_part_by_package_and_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let cache = folder.path().join("cache");
    let output = check_with_prefix(&folder.path().join("nowhere"), &cache);
    assert_eq!(output.status.code(), Some(1));
    let text = text(&output);
    for package in [
        "llvm-22-dev",
        "libmlir-22-dev",
        "mlir-22-tools",
        "clang-22",
        "libclang-22-dev",
        "libpolly-22-dev",
    ] {
        assert!(text.contains(&format!("(package {package})")), "{text}");
    }
    assert!(text.contains("apt-get install "), "{text}");
    assert!(text.contains("MLIR_SYS_220_PREFIX"), "{text}");
    assert!(text.contains("the CPU plugin is not installed"), "{text}");
    assert!(!cache.exists(), "looking created something");
}

#[test]
fn check_refuses_another_version_and_names_the_one_part_that_is_gone() {
    let folder = TempDir::new().unwrap();
    let prefix = folder.path().join("llvm");
    fake_prefix(&prefix, "14.0.6");
    let old = text(&check_with_prefix(&prefix, folder.path()));
    assert!(old.contains("is version 14.0.6"), "{old}");
    fake_prefix(&prefix, "22.1.8");
    let whole = text(&check_with_prefix(&prefix, folder.path()));
    assert!(!whole.contains("(package"), "{whole}");
    fs::remove_file(prefix.join("lib/libPolly.a")).unwrap();
    let part = text(&check_with_prefix(&prefix, folder.path()));
    assert_eq!(part.matches("(package").count(), 1, "{part}");
    assert!(part.contains("(package libpolly-22-dev)"), "{part}");
}

#[test]
fn nothing_missing_takes_less_than_a_second() {
    let folder = TempDir::new().unwrap();
    let prefix = folder.path().join("llvm");
    fake_prefix(&prefix, "22.1.8");
    // An installation of the CPU plugin as its marker describes one.
    let cpu = pjrt_plugins::manifest("cpu").unwrap();
    let wheel = cpu.plugin.wheel("cpu").unwrap();
    let root = folder.path().join(format!("hloom/plugins/cpu-{}", cpu.plugin.version));
    let library = root.join(&cpu.library);
    fs::create_dir_all(library.parent().unwrap()).unwrap();
    fs::write(&library, "a library").unwrap();
    let marker = serde_json::json!({
        "name": "cpu", "version": cpu.plugin.version, "companions": "compile",
        "library": cpu.library, "library_bytes": 9,
        "packages": [{ "package": cpu.plugin.package, "version": cpu.plugin.version,
                       "sha256": wheel.sha256 }],
    });
    fs::write(root.join("installed.json"), marker.to_string()).unwrap();
    for arguments in [&["setup", "--check"][..], &["setup"]] {
        let begun = Instant::now();
        let output = xtask(arguments, folder.path())
            .env("MLIR_SYS_220_PREFIX", &prefix)
            .env("TABLEGEN_220_PREFIX", &prefix)
            .env("LIBCLANG_PATH", prefix.join("lib"))
            .env("CXX", "true")
            .env("HLOOM_PYTHON", "/no/such/python")
            .output()
            .unwrap();
        let elapsed = begun.elapsed();
        assert!(output.status.success(), "{}", text(&output));
        assert!(text(&output).contains("LLVM and MLIR 22.1.8"), "{}", text(&output));
        assert!(elapsed < Duration::from_secs(1), "{elapsed:?}");
    }
}

#[test]
fn set_up_without_apt_says_what_to_install() {
    let folder = TempDir::new().unwrap();
    let output = xtask(&["setup"], folder.path())
        .env("MLIR_SYS_220_PREFIX", folder.path())
        .env("PATH", folder.path())
        .env("HLOOM_PYTHON", "/no/such/python")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = text(&output);
    assert!(text.contains("(package llvm-22-dev)"), "{text}");
    assert!(text.contains("(package python3-pip)"), "{text}");
    assert!(text.contains("apt-get install"), "{text}");
}

#[test]
fn the_first_command_looks_for_pip_and_not_for_llvm() {
    let folder = TempDir::new().unwrap();
    let output = xtask(&["llama"], folder.path())
        .env("MLIR_SYS_220_PREFIX", folder.path())
        .env("PATH", folder.path())
        .env("HLOOM_PYTHON", "/no/such/python")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = text(&output);
    assert!(text.contains("`/no/such/python`"), "{text}");
    assert!(text.ends_with("apt-get install python3-pip\n"), "{text}");
    assert!(!text.to_lowercase().contains("llvm"), "{text}");
}

#[test]
fn an_unknown_plugin_or_benchmark_lists_the_known_ones() {
    let folder = TempDir::new().unwrap();
    let output = xtask(&["plugin", "install", "vulkan"], folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("known are cpu"), "{}", text(&output));
    let output = xtask(&["plugin", "path", "cpu"], folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output), "error: plugin `cpu` is not installed\n");
}

#[test]
fn what_apt_can_bring_is_installed_after_an_update_even_one_that_failed() {
    let folder = TempDir::new().unwrap();
    let prefix = folder.path().join("llvm");
    fake_prefix(&prefix, "22.1.8");
    let (log, python) = (folder.path().join("log"), folder.path().join("python"));
    let program = |name: &str, script: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    // Provides a Python whose pip runs, but downloads a file that is not the plugin's package.
    program(
        "apt-get",
        &format!(
            "case $1 in --version) exit 0;; esac\necho \"$*\" >> '{log}'\ncase $1 in update) exit \
             100;; esac\nprintf '#!/bin/sh\\nwhile [ $# -gt 0 ]; do [ \"$1\" = --dest ] && echo x \
             > \"$2/x.whl\"; shift; done\\n' > '{python}'\nchmod +x '{python}'",
            log = log.display(),
            python = python.display()
        ),
    );
    program("sudo", "case $1 in --version) exit 0;; esac\nexec \"$@\"");
    let output = xtask(&["setup"], folder.path())
        .env("MLIR_SYS_220_PREFIX", &prefix)
        .env("TABLEGEN_220_PREFIX", &prefix)
        .env("LIBCLANG_PATH", prefix.join("lib"))
        .env("CXX", "true")
        .env("HLOOM_PYTHON", &python)
        .env("PATH", format!("{}:/usr/bin:/bin", folder.path().display()))
        .output()
        .unwrap();
    let text = text(&output);
    assert_eq!(
        fs::read_to_string(&log).unwrap(),
        "update\ninstall --yes --no-install-recommends python3-pip\n"
    );
    assert!(text.contains("going on with the package lists"), "{text}");
    let plugin = &pjrt_plugins::manifest("cpu").unwrap().plugin;
    let refused = format!("{} {} was refused", plugin.package, plugin.version);
    assert!(text.contains(&refused), "{text}");
    assert_eq!(output.status.code(), Some(1));
}
