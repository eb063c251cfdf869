//! The example as `cargo xtask llama` builds it: the packages that are compiled for it, and its
//! output.

use std::process::{Command, Output};

/// Packages that the first command does not wait for: those that build from LLVM, linear algebra,
/// lazy tensors, training, and downloads.
const LEFT_OUT: [&str; 17] = [
    "bindgen",
    "clang-sys",
    "melior",
    "mlir-sys",
    "tblgen",
    "faer",
    "hloom-linalg",
    "hloom-lazy",
    "hloom-train",
    "pjrt-plugins",
    "npyz",
    "zip",
    "hf-hub",
    "ring",
    "rustls",
    "ureq",
    "webpki-roots",
];
/// The crates among them that only downloads need.
const FOR_DOWNLOADS: [&str; 5] = ["hf-hub", "ring", "rustls", "ureq", "webpki-roots"];

/// The names of the packages that are built for the example, with further arguments of cargo.
fn packages(arguments: &[&str]) -> Vec<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", env!("CARGO_PKG_NAME"), "--edges", "normal,build"])
        .args(["--prefix", "none", "--format", "{p}"])
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).unwrap();
    tree.lines().filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect()
}

/// The elements of `names` that are in `packages`.
fn found<'a>(names: &[&'a str], packages: &[String]) -> Vec<&'a str> {
    names.iter().copied().filter(|&name| packages.iter().any(|other| other == name)).collect()
}

#[test]
fn only_what_the_example_uses_is_built() {
    let built = packages(&[]);
    let used = ["hloom", "hloom-graph", "hloom-kernels", "hloom-models", "tokenizers"];
    assert_eq!(found(&used, &built), used);
    assert_eq!(found(&LEFT_OUT, &built), [""; 0]);
    // Checks that the names above are names of packages: with downloads, exactly these are built in
    // addition.
    assert_eq!(found(&LEFT_OUT, &packages(&["--features", "hub"])), FOR_DOWNLOADS);
}

fn llama(arguments: &[&str]) -> Output {
    hloom_test_support::plugin_path();
    Command::new(env!("CARGO_BIN_EXE_llama")).args(arguments).output().unwrap()
}

#[test]
fn it_tells_a_story() {
    let output = llama(&["--prompt", "Tell me a story.", "--temperature", "0"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    let story = String::from_utf8(output.stdout).unwrap();
    assert!(story.starts_with("Once "), "{story}");
}

#[test]
fn a_model_to_download_is_refused_with_the_command_that_can() {
    let output = llama(&["--model", "owner/name", "--prompt", "Once"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("error: owner/name: there is no such folder"), "{errors}");
    assert!(errors.contains("feature `hub`"), "{errors}");
    assert!(errors.contains("`cargo xtask llama -- --model owner/name`"), "{errors}");
}
