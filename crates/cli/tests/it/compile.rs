use crate::hloom::{error, hloom, json, stdout};
use std::fs;

const ADD: &str = "func.func @main(%x: tensor<3xf32> loc(\"x\")) -> tensor<3xf32> {
    %y = stablehlo.add %x, %x : tensor<3xf32>
    return %y : tensor<3xf32>
}";

#[test]
fn a_program_is_compiled_into_a_file_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let hloom = |arguments: &[&str]| {
        let mut command = hloom(arguments);
        command.current_dir(folder.path());
        command
    };
    fs::write(folder.path().join("add.mlir"), ADD).unwrap();
    let written =
        stdout(&mut hloom(&["compile", "add.mlir", "--target", "cpu", "-o", "add.hloom"]));
    assert_eq!(written, "");
    let value = json(&mut hloom(&["inspect", "--json", "add.hloom"]));
    assert_eq!(value["signature"]["inputs"][0]["name"], "x");
    assert!(value["target"]["platform"].as_str().unwrap().starts_with("cpu"), "{value}");
    let run = ["bench", "--trust", "--platform", "cpu", "--json", "add.hloom"];
    assert_eq!(json(&mut hloom(&run))["memory"]["arguments"], 12);

    let compile = |file: &str, target: &str, output: &str| {
        error(&mut hloom(&["compile", file, "--target", target, "-o", output]))
    };
    assert_eq!(value["is_foreign"], true);
    let message = compile("add.mlir", "abacus:4", "x.hloom");
    assert!(message.contains("abacus:4") && message.contains("cuda:h200"), "{message}");
    let message = compile("add.mlir", "cpu", "none/x.hloom");
    assert!(message.contains("cannot be written"), "{message}");
    assert!(compile("add.hloom", "cpu", "x").contains("not a StableHLO program"));
    assert!(compile("none", "cpu", "x").starts_with("none: No such file"));
    assert!(!folder.path().join("x.hloom").exists());
}

/// Compiles a program for devices that are not here, in an environment that says nothing of them.
fn compiles(target: &str, kind: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (program, output) = (folder.path().join("add.mlir"), folder.path().join("add.hloom"));
    fs::write(&program, ADD).unwrap();
    for trust in [None, Some("--trust")] {
        let mut command = hloom(["compile", "--target", target, "-o"]);
        command.arg(&output).arg(&program).args(trust);
        stdout(command.env_remove("TPU_SKIP_MDS_QUERY"));
        let value = json(hloom(["inspect", "--json"]).arg(&output));
        let devices = value["target"]["devices"].to_string();
        assert!(devices.contains(kind), "{devices}");
        assert_eq!(value["signature"]["inputs"][0]["shape"], serde_json::json!([3]));
        assert_eq!(value["is_foreign"], trust.is_none());
    }
}

#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins tpu"]
fn plugin_tpu_compiles_a_file_without_a_tpu() {
    pjrt_plugins::ensure("tpu").unwrap();
    compiles("tpu:v5e:2x2x1", "TPU");
}

#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins cuda13"]
fn plugin_cuda13_compiles_a_file_without_a_gpu() {
    pjrt_plugins::ensure("cuda13").unwrap();
    compiles("cuda:h200", "NVIDIA H200");
}
