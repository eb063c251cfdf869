//! The table of features and the tests that show them, `docs/parity.md`.
//!
//! A test names the features that it shows in its documentation: a paragraph that begins with the
//! feature's label, such as `E5: ...`.

use std::{
    collections::BTreeMap,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

/// Writes the page where it differs, in place of failing.
const WRITE: &str = "HLOOM_WRITE_DOCS";

/// The features: label and meaning.
const FEATURES: [(&str, &[(&str, &str)]); 6] = [
    (
        "Executables",
        &[
            ("E1", "compile a model whose tensors come from a checkpoint"),
            ("E2", "read a model from below a prefix of the tensors' names"),
            ("E3", "compile methods, functions and closures"),
            ("E4", "argument and result types that follow from the function"),
            ("E5", "no allocation per call beyond the handles of the results"),
            ("E6", "bind arguments one after the other, and again; the original stays usable"),
            ("E7", "typed calls"),
            ("E8", "checks of every argument, reported by path"),
            ("E9", "a missing argument does not compile, or is reported with all others"),
            ("E10", "execution without waiting"),
            ("E11", "untyped calls by position, with borrowed and donated buffers mixed"),
            ("E12", "an execute context per call, in which the program finds its callbacks"),
            ("E13", "callbacks bound to the state of an executable"),
            ("E14", "serialized executables"),
            ("E15", "clones that share the program"),
            ("E16", "donated arguments that a caller keeps, one by one"),
            ("E17", "several devices, sharded inputs and outputs"),
            ("E18", "programs named after their functions in modules, logs and dumps"),
            ("E19", "spans with shapes for every stage"),
            ("E20", "XLA options from an environment variable"),
            ("E21", "input buffers that the host writes in place between calls"),
        ],
    ),
    (
        "Callbacks",
        &[
            ("C1", "closures and structs with any number of inputs and outputs"),
            ("C2", "readable compile errors for what is no callback"),
            ("C3", "registration with the plugin, automatic and once"),
            ("C4", "a callback without its state is an error that names it"),
            ("C5", "outputs aliased to inputs"),
            ("C6", "inputs in pinned host memory where the program runs on a device"),
            ("C7", "callbacks as parts of command buffers"),
            ("C8", "the stream of the device"),
            ("C9", "views of the program's own memory"),
            ("C10", "errors and panics that keep their code, message and line"),
            ("C11", "metadata and versions of handlers"),
            ("C12", "tensors printed in the middle of a program"),
            ("C13", "element types that cannot be taken are refused while tracing"),
            ("C14", "attributes, scratch memory, the runtime's threads, later completion"),
            ("C15", "inputs that are kept or passed to other executables"),
            ("C16", "a log line and a span for each call and binding"),
            ("C17", "frontend attributes of custom calls"),
            ("C18", "the number format of printed tensors"),
        ],
    ),
    (
        "PJRT",
        &[
            ("G1", "the plugins of a machine, and why each can be used or not"),
            ("G2", "plugins by name, alias or path, loaded once"),
            ("G3", "plugins that are linked into the program"),
            ("G4", "name, path, version and attributes of a plugin"),
            ("G5", "clients with options, their devices and memories"),
            ("G6", "descriptions, attributes and memory statistics of devices"),
            ("G7", "MLIR and HLO programs, compile options"),
            ("G8", "buffers from host data, with strides, layouts and every semantics"),
            ("G9", "buffers to host data: slices, scalars, arrays, data with dimensions"),
            ("G10", "type, dimensions, size and device of a buffer"),
            ("G11", "memory that host and device share"),
            ("G12", "donation by index, mask, all or none"),
            ("G13", "statistics, costs, signatures and the optimized program"),
            ("G14", "events: waiting, polling, callbacks, futures"),
            ("G15", "counters of what is alive"),
            ("G16", "error codes of the C API"),
            ("G17", "layouts, semantics, value types and extensions as types"),
            ("G18", "quiet plugins"),
            ("G19", "several devices, asynchronous transfers, arbitrary layouts"),
            ("G20", "text of plugins and clients"),
            ("G21", "a scalar onto a device by its index"),
            ("G22", "a plugin that is linked in statically, or why none can be"),
        ],
    ),
    (
        "Platforms",
        &[
            ("R1", "one platform type over every plugin, which tells what it supports"),
            ("R2", "every part of a program is executed or refused"),
            (
                "R3",
                "programs that tell arguments, results, cost and memory, also when built from data",
            ),
            ("R4", "calls with buffers by name, for the wanted outputs"),
            ("R5", "forgotten inputs as one error, and zeros where asked for"),
            ("R6", "parts of buffers read, replaced and filled, by offsets in bytes"),
            ("R7", "an error in a program built from data names the value at fault"),
            ("R8", "kernels and fusions of a compiled program"),
        ],
    ),
    (
        "Lazy tensors",
        &[
            ("U1", "lazy handles with the ops of tensors, shared by threads"),
            ("U2", "a schedule of several tensors, to be looked at: one program"),
            ("U3", "shared subtrees computed once"),
            ("U4", "realized tensors as arguments, one for each buffer"),
            ("U5", "programs found by their structure, counted, with numbers lifted to arguments"),
            ("U6", "a schedule run again with other inputs"),
            ("U7", "functions of the host, out of place and in place, run once"),
            ("U8", "updates as new values, in place where nobody else holds the source"),
            ("U9", "spans for realizing, lowering and compiling"),
        ],
    ),
    (
        "Beyond",
        &[
            ("X1", "a second use of a donated buffer does not compile"),
            ("X2", "errors and messages of the plugin that show lines of Rust"),
            ("X3", "programs compiled for devices that the machine lacks"),
            ("X4", "plugins installed and verified by one command"),
            ("X8", "gradients and training on the same graph"),
            ("X10", "a report page of an executable: graph, memory, cost, source lines"),
        ],
    ),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        match path.is_dir() {
            true if name != "target" && !name.starts_with('.') => sources(&path, found),
            true => {}
            false if name.ends_with(".rs") => found.push(path),
            false => {}
        }
    }
}

/// The label of a paragraph: a capital letter and a number before a colon.
fn label(line: &str) -> Option<&str> {
    let (label, _) = line.split_once(": ")?;
    let number = label.strip_prefix(|c: char| c.is_ascii_uppercase())?;
    (!number.is_empty() && number.chars().all(|c| c.is_ascii_digit())).then_some(label)
}

/// The labels in the documentation of the tests of a file, each with the name of its test.
fn labels(text: &str) -> Vec<(String, String)> {
    let (mut found, mut labels, mut begins, mut is_test) = (Vec::new(), Vec::new(), true, false);
    for line in text.lines().map(str::trim_start) {
        if let Some(doc) = line.strip_prefix("///") {
            let doc = doc.trim();
            labels.extend(label(doc).filter(|_| begins).map(str::to_owned));
            begins = doc.is_empty();
            continue;
        }
        begins = true;
        let signature = line.strip_prefix("fn ").or_else(|| line.strip_prefix("async fn "));
        match signature.and_then(|signature| signature.split_once('(')) {
            Some((name, _)) if is_test => {
                found.extend(labels.drain(..).map(|label| (label, name.to_owned())));
                is_test = false;
            }
            _ if line.starts_with("#[") => is_test |= line.starts_with("#[test]"),
            // The end of an attribute of several lines.
            _ if line.starts_with(')') || line.starts_with("reason = ") => {}
            _ => {
                labels.clear();
                is_test = false;
            }
        }
    }
    found
}

/// The page, and the features that no test shows.
fn page(tests: &BTreeMap<String, Vec<String>>) -> (String, Vec<&'static str>) {
    let mut page = String::from(
        "# Features and the tests that show them\n\nWritten from the documentation of the tests: \
         a paragraph of it that begins with the label of a feature. Tests whose names begin with \
         `plugin_`\nneed that plugin; the others run with the CPU plugin.\n",
    );
    let mut missing = Vec::new();
    for (title, features) in FEATURES {
        let _ = writeln!(page, "\n## {title}\n\n| label | feature | tests |\n|---|---|---|");
        for (label, meaning) in features {
            let shown = tests.get(*label);
            if shown.is_none() {
                missing.push(*label);
            }
            let shown = shown.map(|tests| tests.join("<br>")).unwrap_or_default();
            let _ = writeln!(page, "| {label} | {meaning} | {shown} |");
        }
    }
    (page, missing)
}

#[test]
fn every_feature_has_a_test_and_the_page_is_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 300, "the sources are not found: {}", files.len());
    files.sort();
    let mut tests: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let known: Vec<&str> = FEATURES.iter().flat_map(|(_, all)| all.iter().map(|f| f.0)).collect();
    for file in &files {
        let text = fs::read_to_string(file).expect("a source");
        let path = file.strip_prefix(&root).expect("a file of the repository").display();
        for (label, test) in labels(&text) {
            tests.entry(label).or_default().push(format!("`{path}`: `{test}`"));
        }
    }
    let unknown: Vec<&String> = tests.keys().filter(|l| !known.contains(&l.as_str())).collect();
    assert!(unknown.is_empty(), "labels of no feature: {unknown:?}");
    let (page, missing) = page(&tests);
    assert!(missing.is_empty(), "features that no test shows: {missing:?}");
    let path = root.join("docs/parity.md");
    if std::env::var_os(WRITE).is_some() {
        fs::write(&path, &page).expect("the page can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "docs/parity.md is not the table: set {WRITE}=1 and run this test again"
    );
}

#[test]
fn labels_are_read_from_the_documentation_of_tests_only() {
    let text = "
@@@ E1: not a test.
fn helper() {}

@@@ E2: one
@@@ E3: not at the start of a paragraph
@@@
@@@ C4: another
#[test]
#[ignore = \"E9: not documentation\"]
fn first() {
    @@@ E5: a struct
    struct Inner;
}

mod tests {
    #[cfg(test)]
    @@@ E66: indented, between attributes
    #[test]
    fn second() {}
}

@@@ Something else. E7: not at the start
#[test]
fn third() {}

// E8: a comment
#[test]
fn fourth() {}
";
    // Not written as such here: the other test reads this file too.
    let text = text.replace("@@@", "///");
    let expected = [("E2", "first"), ("C4", "first"), ("E66", "second")];
    let found = labels(&text);
    let found: Vec<(&str, &str)> = found.iter().map(|(l, t)| (&**l, &**t)).collect();
    assert_eq!(found, expected);
    for line in ["E: x", "EE1: x", "1: x", "E1 x", "E1:x", "é1: x", ""] {
        assert_eq!(label(line), None, "{line}");
    }
}
