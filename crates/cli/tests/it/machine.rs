use crate::hloom::{error, hloom, json, stdout};
use std::path::Path;

#[test]
fn the_doctor_describes_the_plugin() {
    let report = json(&mut hloom(["doctor", "--json"]));
    let plugins = report["plugins"].as_array().unwrap();
    let cpu = plugins.iter().find(|plugin| plugin["name"] == "cpu" && plugin["shadowed"] == false);
    let probe = &cpu.unwrap()["probe"];
    assert!(probe["problem"].is_null(), "{probe}");
    assert_eq!(probe["client"]["platform"], "cpu");
    assert!(!report["not_installed"].as_array().unwrap().is_empty());
    let text = stdout(&mut hloom(["doctor"]));
    for part in ["LLVM and MLIR: ", "plugin cpu", "client: platform cpu", "caches:"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(text.contains("`hloom plugin install NAME` installs one"), "{text}");
}

#[test]
fn plugins_are_listed_and_found() {
    let list = json(&mut hloom(["plugin", "list", "--json"]));
    let names: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|plugin| plugin["manifest"]["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"cpu") && names.contains(&"tpu"), "{names:?}");
    assert!(stdout(&mut hloom(["plugins", "list"])).contains("XLA for CPUs"));
    // Installed before these tests ran, or replaced by the one of the environment.
    if let Some(library) = pjrt_plugins::path("cpu") {
        let path = stdout(&mut hloom(["plugin", "path", "cpu"]));
        assert_eq!(Path::new(path.trim_end()), library);
        let installed = stdout(&mut hloom(["plugin", "install", "--quiet", "cpu"]));
        assert_eq!(installed, path);
    }
    let message = error(&mut hloom(["plugin", "path", "no-such-plugin"]));
    assert!(message.starts_with("no plugin is called `no-such-plugin`: known are "), "{message}");
    let home = tempfile::tempdir().unwrap();
    let mut command = hloom(["plugin", "path", "cpu"]);
    let message = error(command.env("XDG_CACHE_HOME", home.path()));
    assert_eq!(message, "plugin `cpu` is not installed");
}
