//! Plugin files, and files that are not plugins.

use crate::{copy, original, problem};
use fake_plugin::Lies;
use hloom_pjrt::{Plugin, PluginProblem};

#[test]
fn an_honest_plugin_loads() {
    let copy = copy(Lies::default());
    let plugin = copy.load().expect("it does not lie");
    assert_eq!(plugin.version(), (0, 116));
    assert_eq!(plugin.path(), Some(copy.path.as_path()));
    assert!(plugin.attributes().is_empty());
    assert_eq!(plugin.stablehlo_current_version(), None);
    assert_eq!(plugin.api().functions().count(), 138);
    assert!(plugin.api().extensions().is_empty());
}

#[test]
fn a_file_is_one_plugin_whatever_it_is_called() {
    let copy = copy(Lies::default());
    let plugin = copy.load().expect("it does not lie");
    assert_eq!(copy.load().expect("loaded before"), plugin);
    let link = copy.path.with_file_name("other.so");
    std::os::unix::fs::symlink(&copy.path, &link).expect("the folder is ours");
    assert_eq!(Plugin::load(&link).expect("the same file"), plugin);
    let hard = copy.path.with_file_name("hard.so");
    std::fs::hard_link(&copy.path, &hard).expect("the folder is ours");
    assert_eq!(Plugin::load(&hard).expect("the same file"), plugin);
}

#[test]
fn what_is_no_library_is_told_apart() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    assert_eq!(problem(&folder.path().join("none.so")), PluginProblem::Missing);
    assert_eq!(problem(folder.path()), PluginProblem::NotAFile);
    let text = folder.path().join("text.so");
    std::fs::write(&text, "not a library").expect("the folder is ours");
    assert!(matches!(problem(&text), PluginProblem::NotALibrary(_)));
    let cut = folder.path().join("cut.so");
    let bytes = std::fs::read(original()).expect("the fake plugin was built");
    std::fs::write(&cut, &bytes[..4096.min(bytes.len() / 2)]).expect("the folder is ours");
    assert!(matches!(
        problem(&cut),
        PluginProblem::NotALibrary(_) | PluginProblem::NoSymbol | PluginProblem::Loader(_)
    ));
    assert!(matches!(
        problem(&std::env::current_exe().expect("a test has a file")),
        PluginProblem::NotALibrary(_) | PluginProblem::NoSymbol | PluginProblem::Loader(_)
    ));
}

#[test]
fn a_plugin_without_the_symbol_is_refused() {
    let copy = copy(Lies::default());
    let mut bytes = std::fs::read(&copy.path).expect("just copied");
    let places: Vec<usize> = bytes
        .windows(10)
        .enumerate()
        .filter(|(_, window)| *window == b"GetPjrtApi")
        .map(|(at, _)| at)
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + 10].copy_from_slice(b"GetPjrtXpi");
    }
    std::fs::write(&copy.path, bytes).expect("the folder is ours");
    assert_eq!(copy.problem(), PluginProblem::NoSymbol);
}
