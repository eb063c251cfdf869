use crate::hloom::{error, hloom, json, stdout};
use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Donated, Platform};
use std::fs;

const ADD: &str = "func.func @main(%x: tensor<1000xf32> loc(\"x\")) -> tensor<1000xf32> {
    %y = stablehlo.add %x, %x : tensor<1000xf32>
    return %y : tensor<1000xf32>
}";

#[test]
fn a_program_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("add.mlir");
    fs::write(&path, ADD).unwrap();
    let bench = || {
        let mut command = hloom(["bench", "--platform", "cpu", "--iterations", "7"]);
        command.arg(&path);
        command
    };
    let text = stdout(&mut bench());
    assert!(text.starts_with("add on cpu (1 × cpu)\n"), "{text}");
    for start in ["  compile  ", "  first call  ", "  call  ", "  memory  "] {
        assert!(text.contains(start), "{text}");
    }
    assert!(text.contains(" shortest of 7\n") && text.contains("arguments 4.0 kB"), "{text}");
    let value = json(bench().arg("--json"));
    let number = |name: &str| value[name].as_f64().unwrap_or_else(|| panic!("{name} in {value}"));
    assert!(number("compile_seconds") > 0.0 && number("first_call_seconds") > 0.0);
    assert!(number("min_seconds") > 0.0 && number("min_seconds") <= number("median_seconds"));
    assert_eq!(value["iterations"], 7);
    assert_eq!(value["memory"]["arguments"], 4000);
    let message = error(bench().args(["--input", "no.npy"]));
    assert!(message.starts_with("no.npy: "), "{message}");
    let output = hloom(["bench", "--iterations", "0"]).arg(&path).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_saved_program_with_donated_inputs_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grow.hloom");
    let grow = |kept: Tensor, x: Tensor| (kept + x).reuse(kept);
    let spec = || Spec::f32([("n", 3)]);
    let platform = Platform::load(hloom_test_support::plugin_path()).unwrap();
    platform.compile(grow, (Donated(spec()), spec())).unwrap().save(&path).unwrap();
    let mut command = hloom(["bench", "--platform", "cpu", "--json", "--trust"]);
    let value = json(command.arg(&path));
    assert_eq!(value["iterations"], 20);
    assert_eq!(value["memory"]["aliases"], 12);
}
