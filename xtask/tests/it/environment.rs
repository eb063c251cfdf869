//! Checks that `docs/environment.md` has every variable that the sources read.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Variables that a test sets for a process of its own, and names that tests make up.
const INNER: [&str; 16] = [
    "HLOOM_",
    "HLOOM_TEST_ALONE",
    "HLOOM_TEST_DEFECT",
    "HLOOM_TEST_FOLDER",
    "HLOOM_TEST_PROGRAM",
    "HLOOM_TEST_QUIET",
    "HLOOM_TEST_RUN",
    "HLOOM_TEST_SAVED",
    "HLOOM_TEST_WITH_VARIABLE",
    "HLOOM_PLUGIN_",
    "HLOOM_PLUGIN_BROKEN",
    "HLOOM_PLUGIN_CUDA",
    "HLOOM_PLUGIN_CUDA_",
    "HLOOM_PLUGIN_CUDA_13",
    "HLOOM_PLUGIN_MINE",
    "HLOOM_PLUGIN_NO_SUCH_PLUGIN",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_ours = name != "target" && !name.starts_with('.');
        if path.is_dir() && is_ours {
            sources(&path, found);
        } else if !path.is_dir() && name.ends_with(".rs") {
            found.push(path);
        }
    }
}

/// The words of a text that begin with `HLOOM_`.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("HLOOM_").map(|(start, _)| {
        let rest = &text[start..];
        let end = rest.find(|c: char| !c.is_ascii_uppercase() && !c.is_ascii_digit() && c != '_');
        &rest[..end.unwrap_or(rest.len())]
    })
}

#[test]
fn every_variable_is_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let documented = fs::read_to_string(root.join("docs/environment.md")).expect("the table");
    let documented: BTreeSet<&str> = variables(&documented).collect();
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 300, "the sources are not found: {}", files.len());
    let texts: Vec<String> =
        files.iter().map(|file| fs::read_to_string(file).expect("a source")).collect();
    let read: BTreeSet<&str> = texts.iter().flat_map(|text| variables(text)).collect();
    let is_known =
        |name: &&&str| documented.contains(**name) || INNER.contains(name) || is_of_a_plugin(name);
    let missing: Vec<_> = read.iter().filter(|name| !is_known(name)).collect();
    assert!(missing.is_empty(), "not in docs/environment.md: {missing:?}");
    let gone: Vec<_> = documented
        .iter()
        .filter(|name| !read.contains(**name) && **name != "HLOOM_PLUGIN_")
        .collect();
    assert!(gone.is_empty(), "in docs/environment.md and nowhere else: {gone:?}");
}

/// Whether it is the variable of a plugin with a manifest.
fn is_of_a_plugin(name: &str) -> bool {
    let Some(plugin) = name.strip_prefix("HLOOM_PLUGIN_") else {
        return false;
    };
    let manifests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pjrt-plugins/manifests");
    let mut names = fs::read_dir(manifests).expect("the manifests").flatten();
    names.any(|file| file.path().file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case(plugin)))
}
