//! Test programs: each costs a link, so a package has one, and a target without tests has none.

use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The module documentation of a program next to `it` has a paragraph that begins so.
const APART: &str = "\n//! Apart from `it`: ";

/// A target of a package of the workspace.
struct Target {
    /// Package and target, for messages.
    name: String,
    kind: String,
    file: PathBuf,
    is_tested: bool,
    is_doctested: bool,
}

/// The targets of the workspace.
fn targets() -> Vec<Target> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--format-version", "1", "--offline"]);
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let is_set = |value: &Value| value.as_bool().expect("a boolean");
    let mut targets = Vec::new();
    for package in metadata["packages"].as_array().expect("a list") {
        for target in package["targets"].as_array().expect("a list") {
            let kinds = target["kind"].as_array().expect("a list");
            targets.push(Target {
                name: format!("{} {}", text(&package["name"]), text(&target["name"])),
                kind: kinds.iter().map(text).next_back().expect("a kind"),
                file: text(&target["src_path"]).into(),
                is_tested: is_set(&target["test"]),
                is_doctested: is_set(&target["doctest"]),
            });
        }
    }
    assert!(targets.len() > 50, "the workspace is not found: {}", targets.len());
    targets
}

/// The text of the files of a target: the files of its folder; for a program next to a library,
/// only its own file.
fn text(target: &Target, all: &[Target]) -> String {
    let folder = target.file.parent().expect("a file has a folder");
    let is_alone = all.iter().filter(|other| other.file.parent() == Some(folder)).count() == 1;
    let mut files = vec![target.file.clone()];
    if target.kind.ends_with("lib") || target.kind == "proc-macro" || is_alone {
        files.clear();
        sources(folder, &mut files);
    }
    files.iter().map(|file| fs::read_to_string(file).expect("a source")).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

fn has_test(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("#[test]"))
}

/// Whether a comment of documentation has a block of code that rustdoc compiles.
fn has_doctest(text: &str) -> bool {
    let mut is_open = false;
    let begins_code = |line: &str| {
        let line = line.trim_start();
        let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let Some(language) = doc.and_then(|doc| doc.trim().strip_prefix("```")) else {
            return line.contains("[doc = include_str!(");
        };
        is_open = !is_open;
        is_open && language != "text"
    };
    text.lines().any(begins_code)
}

#[test]
fn a_package_has_one_program_of_tests_and_others_say_why_they_are_apart() {
    for target in targets().iter().filter(|target| target.kind == "test") {
        let Target { name, file, .. } = target;
        let text = fs::read_to_string(file).expect("a source");
        let is_it = name.ends_with(" it");
        assert!(
            is_it || text.contains(APART),
            "{name}: make it a module of `tests/it/main.rs`, or begin a paragraph of its module \
             documentation with `Apart from `it`: ` and the reason: {}",
            file.display()
        );
    }
}

#[test]
fn a_target_is_built_as_a_test_if_it_has_tests() {
    let all = targets();
    let libraries_and_programs = ["lib", "rlib", "proc-macro", "bin", "example", "bench"];
    let mut checked = 0;
    for target in all.iter().filter(|target| libraries_and_programs.contains(&&*target.kind)) {
        let (name, text) = (&target.name, text(target, &all));
        checked += 1;
        assert_eq!(has_test(&text), target.is_tested, "{name}: `#[test]` and `test = ` disagree");
        if target.kind.ends_with("lib") || target.kind == "proc-macro" {
            let found = has_doctest(&text);
            assert_eq!(found, target.is_doctested, "{name}: its code and `doctest = ` disagree");
        }
    }
    assert!(checked > 40, "{checked} targets");
}

#[test]
fn tests_are_found_in_sources() {
    assert!(has_test("mod tests {\n    #[test]\n    fn a() {}\n}"));
    assert!(!has_test("// `#[test]`\nfn a() {}"));
    assert!(has_doctest("/// Adds.\n///\n/// ```\n/// a();\n/// ```\nfn a() {}"));
    assert!(has_doctest("//! ```no_run\n//! a();\n//! ```"));
    assert!(has_doctest("#[doc = include_str!(\"../README.md\")]"));
    assert!(!has_doctest("/// ```text\n/// a\n/// ```\nfn a() {}\n// ```\n// a();\n// ```"));
    assert!(has_doctest("/// ```text\n/// a\n/// ```\n/// ```\n/// a();\n/// ```"));
}
