//! Loads a page in headless Chromium: nothing fails, and every part is drawn.

use hloom_pjrt::{CompileOptions, Program};
use hloom_report::Report;
use hloom_test_support::client;
use std::process::{Command, Output};
use std::{fs, path::Path};

/// A loop, dot products and a sum, at lines of this file.
const PROGRAM: &str = r#"
#line10 = loc("tests/browser.rs":10:1)
#line11 = loc("tests/browser.rs":11:1)
#step = loc("model/layers/0/dot"(#line10))
#sine = loc("model/layers/0/</script><img src=x onerror=alert(1)>/sine"(#line11))
!m = tensor<64x64xf32>
!v = tensor<64xf32>
func.func @main(%a: !m loc("a"), %b: !m loc("b")) -> (!m, !v) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (!m, !m) -> !m loc(#step)
  %1 = stablehlo.sine %0 : !m loc(#sine)
  %n = stablehlo.constant dense<4> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %2:2 = stablehlo.while(%i = %z, %v = %1) : tensor<i32>, !m cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.dot_general %v, %b, contracting_dims = [1] x [0] : (!m, !m) -> !m loc(#step)
    stablehlo.return %j, %s : tensor<i32>, !m
  }
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%2#1 init: %zero) applies stablehlo.add across dimensions = [0]
    : (!m, tensor<f32>) -> !v
  return %2#1, %3 : !m, !v
}"#;

/// The report of a program that is compiled here.
fn report() -> Report {
    let executable = client(1)
        .compile(&Program::mlir(PROGRAM), &CompileOptions::new())
        .expect("the program compiles");
    let module = executable.executable().hlo_module().expect("the plugin returns HLO");
    Report::of_module(module)
        .expect("it has an entry")
        .platform("cpu")
        .sources(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_report_of_a_compiled_program_has_its_costs_and_memory() {
    let report = report();
    let dots = report
        .kernels()
        .iter()
        .filter_map(|kernel| kernel.flops)
        .filter(|&flops| flops >= 2 * 64 * 64 * 64);
    assert_eq!(dots.count(), 2, "{}", report.kernels());
    let memory = report.memory();
    // Two arguments, two results; the loop's state and one copy at most beside it.
    let kib = |bytes: u64| bytes / 1024;
    assert_eq!(kib(memory.bytes(hloom_report::BufferKind::Argument)), 32);
    assert_eq!(kib(memory.bytes(hloom_report::BufferKind::Result)), 16);
    assert!((32..=64).contains(&kib(memory.peak_bytes())), "{memory:#?}");
    let page = report.html();
    assert!(page.contains("A loop, dot products and a sum, at lines of this file."), "the source");
}

/// What the browser makes of a page, and what it logs.
fn load(folder: &Path, address: &str, dark: bool) -> Output {
    let profile = folder.join("profile");
    let mut command = Command::new("chromium");
    command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]);
    command.args(["--disable-dev-shm-usage", "--virtual-time-budget=5000", "--dump-dom"]);
    command.arg(format!("--user-data-dir={}", profile.display()));
    command.arg(format!("--window-size={}", if dark { "400,900" } else { "1600,1200" }));
    if dark {
        command.arg("--blink-settings=preferredColorScheme=0");
    }
    command.arg(address).output().expect("`chromium` is installed")
}

#[test]
#[ignore = "needs the browser `chromium`"]
fn browser_draws_every_part_without_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    fs::write(&page, report().html()).expect("written");
    let mut chosen = Vec::new();
    // An instruction that is selected, or line 10 of the file, whichever number that has.
    for (place, dark) in [("", false), ("#i3", true), ("#l0-10", false), ("#l1-10", true)] {
        let address = format!("file://{}{place}", page.display());
        let output = load(folder.path(), &address, dark);
        let [dom, log] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        assert!(output.status.success(), "{log}");
        let messages: Vec<_> = log.lines().filter(|line| line.contains(":CONSOLE")).collect();
        assert!(messages.is_empty(), "{messages:#?}");
        assert!(dom.contains("data-ready=\"true\""), "the script came to its end: {log}");
        assert!(!dom.contains("<img"), "text of the program is no markup");
        let parts = [
            "<div class=\"fill\"",                           // a bar of a cost
            "class=\"area\"",                                // memory over time
            "class=\"life\"",                                // the largest buffers
            "class=\"line used\"",                           // a source line
            "class=\"row",                                   // an instruction
            "<span class=\"text\">/// A loop, dot products", // the text of the source
            "<span class=\"label\">model/layers/0",          // a module
        ];
        for part in parts {
            assert!(dom.contains(part), "{place}: no {part}");
        }
        chosen.push(dom.matches(" chosen\"").count());
    }
    assert_eq!(chosen[0], 0, "nothing is selected");
    assert!(chosen[1] > 0, "an instruction is marked");
    assert_eq!(chosen[2] + chosen[3], 1, "a line is marked");
}
