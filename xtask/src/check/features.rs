//! The feature sets that users build, apart from the default one: each is linted by itself.

use crate::{Result, cargo};

/// Packages that are built together, with these features of theirs and no default ones.
struct Set {
    packages: &'static [&'static str],
    features: &'static str,
}

/// The sets of the documentation. Each set costs a build of the crates that its features change.
const SETS: [Set; 6] = [
    Set { packages: &["hloom", "hloom-runtime", "hloom-stablehlo", "pjrt-plugins"], features: "" },
    Set { packages: &["hloom"], features: "plugins" },
    Set { packages: &["hloom"], features: "plugins,models" },
    Set { packages: &["hloom-llama"], features: "" },
    Set { packages: &["hloom-gpu"], features: "" },
    Set { packages: &["hloom-io"], features: "" },
];

/// The packages that build from LLVM.
const NEED_LLVM: [&str; 5] = ["bindgen", "clang-sys", "melior", "mlir-sys", "tblgen"];

/// Lints each set, by clippy like the workspace, so that the crates which are the same in several
/// sets are checked once; and checks that no set needs LLVM.
///
/// # Errors
/// Clippy's, or the package that needs LLVM.
pub fn check() -> Result {
    SETS.iter().try_for_each(|set| {
        let mut lints = cargo::command(&["clippy", "--quiet"]);
        lints.args(set.arguments()).args(["--", "-D", "warnings"]);
        cargo::run(lints)?;
        without_llvm(set)
    })
}

impl Set {
    fn arguments(&self) -> Vec<&str> {
        let mut arguments: Vec<&str> =
            self.packages.iter().flat_map(|package| ["--package", package]).collect();
        arguments.extend(["--no-default-features", "--features", self.features]);
        arguments
    }
}

fn without_llvm(set: &Set) -> Result {
    let mut tree = cargo::command(&["tree", "--edges", "normal,build", "--prefix", "none"]);
    tree.args(set.arguments());
    let line = cargo::line(&tree);
    let output = tree.output().map_err(|error| format!("cannot run `{line}`: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{line}`: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let tree = String::from_utf8_lossy(&output.stdout);
    let packages: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    if !packages.contains(&set.packages[0]) {
        return Err(format!("`{line}` does not show what is built"));
    }
    match NEED_LLVM.iter().find(|name| packages.contains(name)) {
        Some(name) => Err(format!("`{line}`: `{name}` needs LLVM, and the feature `mlir` is off")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_set_needs_llvm_and_one_that_does_is_refused() {
        SETS.iter().try_for_each(without_llvm).unwrap();
        let error = without_llvm(&Set { packages: &["hloom"], features: "mlir" }).unwrap_err();
        assert!(error.contains("needs LLVM"), "{error}");
        let error = without_llvm(&Set { packages: &["hloom"], features: "none" }).unwrap_err();
        assert!(error.contains("none"), "{error}");
    }
}
