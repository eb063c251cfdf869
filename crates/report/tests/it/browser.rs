//! Loads a page in headless Chromium: nothing fails, and every part is drawn.

use hloom_pjrt::{CompileOptions, LoadedExecutable, Program};
use hloom_report::Report;
use hloom_test_support::{CompileOwn, client};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

/// A loop, dot products and a sum, at lines of this file.
const PROGRAM: &str = r#"
#line10 = loc("tests/it/browser.rs":10:1)
#line11 = loc("tests/it/browser.rs":11:1)
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

fn compile() -> LoadedExecutable {
    let compiled = client(1).compile_own(&Program::mlir(PROGRAM), &CompileOptions::new());
    compiled.expect("the program compiles")
}

fn report(executable: &LoadedExecutable) -> Report {
    let module = executable.executable().hlo_module().expect("the plugin returns HLO");
    Report::of_module(module)
        .expect("it has an entry")
        .platform("cpu")
        .sources(env!("CARGO_MANIFEST_DIR"))
}

/// X10: costs, lines and memory of a compiled program.
#[test]
fn the_report_of_a_compiled_program_has_its_costs_and_memory() {
    let executable = compile();
    let report = report(&executable);
    let dots = report
        .kernels()
        .iter()
        .filter_map(|kernel| kernel.flops)
        .filter(|&flops| flops >= 2 * 64 * 64 * 64);
    assert_eq!(dots.count(), 2, "{}", report.kernels());
    let memory = report.memory();
    // Two arguments, two results, the loop's state, and at most one copy of it.
    let kib = |bytes: u64| bytes / 1024;
    assert_eq!(kib(memory.bytes(hloom_report::BufferKind::Argument)), 32);
    assert_eq!(kib(memory.bytes(hloom_report::BufferKind::Result)), 16);
    assert!((32..=64).contains(&kib(memory.peak_bytes())), "{memory:#?}");
    // The buffers that the compiler assigned have the sizes and the live ranges of the estimate.
    let stats = executable.executable().memory_stats().expect("the plugin reports memory");
    let assigned = u64::try_from(stats.temporaries + stats.outputs).expect("not negative");
    let difference = memory.peak_bytes().abs_diff(assigned);
    assert!(difference < 1024, "{memory:#?} {stats:#?}");
    let page = report.html();
    assert!(page.contains("A loop, dot products and a sum, at lines of this file."), "the source");
}

#[test]
fn damaged_programs_are_refused_or_drawn() {
    let program = compile().executable().optimized_program().expect("the plugin returns it");
    let mut drawn = 0;
    let mut random = 1u64;
    for _ in 0..1000 {
        let mut bytes = program.code().to_vec();
        for _ in 0..3 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let [place, value] = [random >> 40, random >> 32].map(|part| part as usize);
            let place = place % bytes.len();
            bytes[place] = value as u8;
        }
        if let Ok(report) = Report::of_hlo(&bytes, program.format()) {
            drawn += usize::from(report.html().ends_with("</html>\n"));
        }
    }
    assert!(drawn > 100, "{drawn}");
}

/// The document that the browser makes of a page, and its log.
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

/// The messages of the page's console: errors, and violations of its content policy.
fn messages(output: &Output) -> Vec<String> {
    let log = String::from_utf8_lossy(&output.stderr);
    log.lines().filter(|line| line.contains(":CONSOLE")).map(str::to_owned).collect()
}

#[test]
#[ignore = "needs the browser `chromium`"]
fn browser_draws_every_part_without_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    fs::write(&page, report(&compile()).html()).expect("written");
    let mut chosen = Vec::new();
    // An instruction that is selected, or line 10 of the file, whichever number that has.
    for (place, dark) in [("", false), ("#i3", true), ("#l0-10", false), ("#l1-10", true)] {
        let address = format!("file://{}{place}", page.display());
        let output = load(folder.path(), &address, dark);
        let dom = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{output:#?}");
        assert_eq!(messages(&output), [""; 0]);
        assert!(dom.contains("data-ready=\"true\""), "the script came to its end: {output:#?}");
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

/// Uses the page as a reader does, and leaves the names of what failed in an attribute.
const READER: &str = r##"
const failed = [];
const check = (what, holds) => { if (!holds) failed.push(what); };
const all = (selector) => [...document.querySelectorAll(selector)];
// Long enough for an event that follows a click.
const settled = () => new Promise((done) => setTimeout(done, 100));
const press = (element, key) => element.dispatchEvent(new KeyboardEvent("keydown", { key }));
(async () => {
  await settled();
  all("#program a.loc")[0].click();
  await settled();
  check("a line is chosen", all(".line.chosen").length === 1 && all(".row.linked").length > 0);
  const row = all(".row.linked a.text")[0];
  row.click();
  await settled();
  check("an instruction is chosen", all(".row.chosen").length === 1);
  check("its line is", all(".line.chosen").length === 1);
  check("it is described", all("#selected a[href^='#l']").length === 1);

  const figures = () => all("#by-op .number").map((one) => one.textContent).join();
  const before = figures();
  all("#metric input").find((one) => !one.checked).click();
  await settled();
  check("another measure", figures() !== before);
  const closed = all("#by-module details").filter((one) => !one.open);
  closed.forEach((one) => one.querySelector("summary").click());
  await settled();
  check("branches open", closed.every((one) => one.open && one.querySelector(".leaf, details")));

  const chart = document.querySelector("#chart svg");
  press(chart, "Home");
  check("the first step", document.querySelector("#chart-text").textContent.startsWith("Step 1:"));
  press(chart, "ArrowRight");
  check("the second", document.querySelector("#chart-text").textContent.startsWith("Step 2:"));
  press(chart, "Enter");
  await settled();
  const name = document.querySelector("#chart-text a").textContent;
  check("its instruction", document.querySelector(".row.chosen b").textContent === name);
  document.querySelector("#with-arguments").click();
  check("arguments", all("#chart .base").length === 1);

  const filter = document.querySelector("#buffer-filter");
  const rows = () => all("#buffers tbody tr").length;
  const few = rows();
  filter.value = "all";
  filter.dispatchEvent(new Event("change"));
  check("all buffers", rows() > few);

  const find = document.querySelector("#find");
  find.value = "sine";
  find.dispatchEvent(new Event("input"));
  check("found", all("#found a").length > 0 && !document.querySelector("#found").hidden);
  document.documentElement.dataset.failed = failed.join("; ") || "nothing";
})();
"##;

/// X10: the page links instructions and lines of the source.
#[test]
#[ignore = "needs the browser `chromium`"]
fn browser_follows_links_both_ways() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("page.html");
    let page = report(&compile()).html();
    // The page's policy allows no other script.
    let (head, rest) = page.split_once("<meta http-equiv").expect("a policy");
    let (_, rest) = rest.split_once('>').expect("its end");
    let page =
        format!("{head}{}", rest.replace("</body>", &format!("<script>{READER}</script></body>")));
    fs::write(&path, page).expect("written");
    let output = load(folder.path(), &format!("file://{}", path.display()), false);
    let dom = String::from_utf8_lossy(&output.stdout);
    let failed = dom.split_once("data-failed=\"").and_then(|(_, rest)| rest.split_once('"'));
    let failed = failed.map(|(failed, _)| failed);
    assert_eq!(failed, Some("nothing"), "{:#?}", messages(&output));
}
