//! The documentation of the crates, and their public interfaces, as `docs/interface` lists them.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use public_api::{Builder, PublicApi};
use serde_json::Value;

use crate::{Result, cargo, check::methods};

/// The toolchain that writes the listings: they name items of the standard library by its paths.
const TOOLCHAIN: &str = "1.95.0";

/// The folder of the listings.
const FOLDER: &str = "docs/interface";

/// The crate without a listing: the C headers are its source.
const GENERATED: &str = "hloom-pjrt-sys";

/// The limit on the names and modules of the root.
const MAX_ROOT_EXPORTS: usize = 70;

/// Documents every crate, where each warning is an error, and compares the public interfaces of
/// those that are published with their listings; with `fix`, writes the listings. Also compares the
/// methods in them with `docs/methods.md`.
///
/// # Errors
/// A warning of the documentation, a stale listing, an unlisted method, too many names at the root.
pub fn check(fix: bool) -> Result {
    let documentation = document()?;
    let folder = cargo::workspace().join(FOLDER);
    let mut stale = Vec::new();
    for package in published()? {
        let json = documentation.join(format!("{}.json", package.replace('-', "_")));
        let listing = listing(&json)?;
        if package == "hloom" {
            count_root_exports(&listing)?;
        }
        if package == "hloom-graph" {
            methods::check(&cargo::workspace().join("docs/methods.md"), &listing)?;
        }
        let file = folder.join(format!("{package}.txt"));
        if fs::read_to_string(&file).is_ok_and(|found| found == listing) {
            continue;
        }
        if fix {
            fs::create_dir_all(&folder).map_err(|error| format!("{FOLDER}: {error}"))?;
            fs::write(&file, listing).map_err(|error| format!("{}: {error}", file.display()))?;
            println!("wrote {FOLDER}/{package}.txt");
        } else {
            stale.push(format!("{FOLDER}/{package}.txt"));
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the public interface has changed: `cargo xtask check --fix` writes {}, to be reviewed",
        stale.join(", ")
    ))
}

/// Writes the documentation of each crate as rustdoc's JSON, and returns its folder.
fn document() -> Result<PathBuf> {
    // The targets include an example: with it, cargo resolves the features of dependencies as for
    // the lints, and reuses their checks. Other commands have the names of libraries, whose pages
    // their pages would replace.
    let targets = ["--lib", "--bin", "xtask", "--bin", "xtask-bindings", "--example", "quickstart"];
    let mut command = cargo::command(&["doc", "--workspace", "--no-deps", "--quiet"]);
    command.args(targets);
    let mut target = cargo::target();
    if !is_pinned()? {
        install()?;
        target = target.join("interface");
        command.env("RUSTUP_TOOLCHAIN", TOOLCHAIN).env("CARGO_TARGET_DIR", &target);
    }
    command.env("RUSTDOC", rustdoc(&target)?);
    command.env("RUSTDOCFLAGS", "-D warnings -Z unstable-options --output-format json");
    cargo::run(command)?;
    Ok(target.join("doc"))
}

/// A program that runs rustdoc with its unstable options: cargo and the compiler, which would
/// build every dependency again for them, do not see the variable.
fn rustdoc(target: &Path) -> Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let program = target.join("rustdoc-json");
    let failed = |error| format!("{}: {error}", program.display());
    fs::create_dir_all(target).map_err(failed)?;
    let script = "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n";
    // Cargo documents a crate again if the program is newer.
    if fs::read_to_string(&program).is_ok_and(|found| found == script) {
        return Ok(program);
    }
    fs::write(&program, script).map_err(failed)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).map_err(failed)?;
    Ok(program)
}

fn is_pinned() -> Result<bool> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let output = output.map_err(|error| format!("cannot run rustc: {error}"))?;
    let version = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(version.split(' ').nth(1) == Some(TOOLCHAIN))
}

fn install() -> Result {
    let mut command = Command::new("rustup");
    command.args(["toolchain", "install", TOOLCHAIN, "--profile", "minimal"]);
    cargo::run(command)
        .map_err(|error| format!("{error}: the listings of {FOLDER} are those of Rust {TOOLCHAIN}"))
}

/// The libraries that are published, but for generated bindings.
fn published() -> Result<Vec<String>> {
    let mut command = cargo::command(&["metadata", "--no-deps", "--format-version", "1"]);
    let output = command.output().map_err(|error| format!("cannot run cargo: {error}"))?;
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cargo's metadata: {error}"))?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let is_library = |package: &&Value| {
        let kinds = package["targets"].as_array().into_iter().flatten();
        let is_published = package["publish"].is_null();
        is_published && kinds.into_iter().any(|target| target["kind"][0] == "lib")
    };
    let names = packages.filter(is_library).filter_map(|package| package["name"].as_str());
    let names: Vec<String> = names.filter(|name| *name != GENERATED).map(str::to_owned).collect();
    if names.iter().any(|name| name == "hloom") && names.iter().any(|name| name == "hloom-graph") {
        Ok(names)
    } else {
        Err("cargo's metadata lacks the published crates".into())
    }
}

/// The public items of a crate, one a line, without the implementations that the compiler or a
/// blanket provides.
fn listing(json: &Path) -> Result<String> {
    let failed = |error| format!("{}: {error}", json.display());
    let api: PublicApi = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .map_err(failed)?;
    Ok(api.items().map(|item| format!("{item}\n")).collect())
}

fn count_root_exports(listing: &str) -> Result {
    let mut names: Vec<&str> = listing
        .lines()
        .filter_map(|line| line.strip_prefix("pub "))
        .filter_map(|line| line.split_once(" hloom::").map(|(_, path)| path))
        .filter(|path| path.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .collect();
    // A trait and a derive, or a module and a function, share a name.
    names.dedup();
    if names.len() <= MAX_ROOT_EXPORTS {
        return Ok(());
    }
    Err(format!("`hloom` exports {} names, more than {MAX_ROOT_EXPORTS}", names.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_root_are_counted() {
        let listing = |count: usize| -> String {
            let names = (0..count).map(|i| format!("pub use hloom::N{i}\n"));
            names.chain(["pub use hloom::ops::scan\n".into()]).collect()
        };
        count_root_exports(&listing(MAX_ROOT_EXPORTS)).unwrap();
        let error = count_root_exports(&listing(MAX_ROOT_EXPORTS + 1)).unwrap_err();
        assert!(error.contains("71 names"), "{error}");
    }

    #[test]
    fn the_crates_with_a_listing_are_those_that_are_published() {
        let published = published().unwrap();
        assert!(published.contains(&"hloom-nn".into()), "{published:?}");
        for absent in [GENERATED, "xtask", "hloom-test-support"] {
            assert!(!published.contains(&absent.into()), "{published:?}");
        }
        let files = fs::read_dir(cargo::workspace().join(FOLDER)).unwrap();
        let mut listed: Vec<String> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap().replace(".txt", ""))
            .collect();
        listed.sort();
        let mut published = published;
        published.sort();
        assert_eq!(listed, published);
    }
}
