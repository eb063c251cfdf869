//! The doctor as a command, with the real CPU plugin, with a broken one, and with nothing at all.

use std::{fs, process::Command};

use serde_json::Value;
use tempfile::TempDir;

/// The doctor without plugins except those of the test.
fn doctor(home: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hloom-doctor"));
    command.env("HOME", home.path()).env("XDG_CACHE_HOME", home.path().join("cache"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let plugin = text.starts_with("HLOOM_PLUGIN_") || text.starts_with("PJRT_PLUGIN_");
        if plugin || ["VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH"].contains(&text.as_ref()) {
            command.env_remove(&name);
        }
    }
    command
}

fn json(command: &mut Command) -> Value {
    let output = command.arg("--json").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn plugin<'a>(report: &'a Value, name: &str) -> &'a Value {
    let plugins = report["plugins"].as_array().unwrap();
    plugins
        .iter()
        .find(|plugin| plugin["name"] == name)
        .unwrap_or_else(|| panic!("no {name}: {plugins:?}"))
}

#[test]
fn the_cpu_plugin_is_shown_with_package_versions_extensions_and_devices() {
    let home = TempDir::new().unwrap();
    let library = pjrt_plugins::ensure("cpu").unwrap();
    let report = json(doctor(&home).env("HLOOM_PLUGIN_CPU", &library));
    let cpu = plugin(&report, "cpu");
    assert_eq!(cpu["path"], library.to_str().unwrap());
    let manifest = pjrt_plugins::manifest("cpu").unwrap();
    assert_eq!(cpu["package"]["name"], manifest.plugin.package);
    assert_eq!(cpu["package"]["version"], manifest.plugin.version);
    let probe = &cpu["probe"];
    assert!(probe["problem"].is_null(), "{probe}");
    let api = &probe["loaded"]["api_version"];
    let api = format!("PJRT C API {}.{}", api[0], api[1]);
    assert!(manifest.notes[0].starts_with(&api), "{api}: {}", manifest.notes[0]);
    let extensions = probe["loaded"]["extensions"].as_array().unwrap();
    assert!(extensions.iter().any(|extension| extension["name"] == "FFI"));
    assert_eq!(probe["client"]["platform"], "cpu");
    let devices = probe["client"]["devices"].as_array().unwrap();
    assert!(!devices.is_empty());
    assert_eq!(devices[0]["kind"], "cpu");
    assert!(!devices[0]["memories"].as_array().unwrap().is_empty());
    assert!(report["toolchain"]["version"].as_str().unwrap().starts_with("22."));

    let text = doctor(&home).env("HLOOM_PLUGIN_CPU", &library).output().unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    for part in [
        format!("plugin cpu: {}", manifest.plugin.package).as_str(),
        api.as_str(),
        "client: platform cpu",
        "LLVM and MLIR: 22.",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_file_that_is_no_plugin_is_shown_with_the_reason() {
    let home = TempDir::new().unwrap();
    let library = home.path().join("pjrt_c_api_broken_plugin.so");
    fs::write(&library, "no library").unwrap();
    let report = json(doctor(&home).env("HLOOM_PLUGIN_BROKEN", &library));
    let probe = &plugin(&report, "broken")["probe"];
    assert!(probe["loaded"].is_null());
    assert!(!probe["problem"].as_str().unwrap().is_empty());
}

#[test]
fn an_empty_machine_lists_what_is_missing_and_what_can_be_installed() {
    let home = TempDir::new().unwrap();
    let nowhere = home.path().join("nowhere");
    let mut command = doctor(&home);
    let report = json(command.env("MLIR_SYS_220_PREFIX", &nowhere));
    assert!(report["toolchain"]["missing"].as_array().unwrap().len() > 3);
    assert!(report["toolchain"]["advice"].as_str().unwrap().contains("apt-get install"));
    assert_eq!(report["caches"], serde_json::json!([]));
    let names: Vec<&str> =
        report["not_installed"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(names.contains(&"tpu"), "{names:?}");
    assert!(fs::read_dir(home.path()).unwrap().next().is_none(), "looking wrote something");
}

#[test]
fn an_unknown_argument_shows_the_usage() {
    let home = TempDir::new().unwrap();
    let output = doctor(&home).arg("--what").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("usage:"));
}

/// E20: the XLA options of the environment are reported, and so are options that cannot be read.
#[test]
fn xla_options_of_the_environment_are_shown() {
    let home = TempDir::new().unwrap();
    let with = |options: &str| {
        let mut command = doctor(&home);
        command.env("HLOOM_XLA_OPTIONS", options);
        command
    };
    let mut command = with("--xla_backend_optimization_level=1 xla_cpu_enable_fast_math");
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let expected = "XLA options (HLOOM_XLA_OPTIONS):\n  xla_backend_optimization_level=1\n  \
                    xla_cpu_enable_fast_math=True\n";
    assert!(text.contains(expected), "{text}");
    let report = json(&mut with("xla_a=b"));
    assert_eq!(report["xla_options"]["options"], serde_json::json!([["xla_a", "b"]]));
    let text = String::from_utf8(with("=b").output().unwrap().stdout).unwrap();
    assert!(text.contains("XLA options: HLOOM_XLA_OPTIONS: `=b` is not `name=value`"), "{text}");
    let text = String::from_utf8(doctor(&home).output().unwrap().stdout).unwrap();
    assert!(!text.contains("XLA options"), "{text}");
}
