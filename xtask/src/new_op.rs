//! The skeleton of a new op: an elementwise op with one operand and no attributes, to be filled in.

use crate::{Result, cargo};
use std::{fs, path::Path};

/// The attributes, the rules and the method.
const DEFINITION: &str = include_str!("new_op/definition.rs.txt");
/// The lowering.
const LOWERING: &str = include_str!("new_op/lowering.rs.txt");
/// The evaluation by the interpreter.
const EVALUATION: &str = include_str!("new_op/evaluation.rs.txt");
/// The program whose text and lowering are snapshots.
const PROGRAM: &str = include_str!("new_op/program.rs.txt");
/// The cases of the oracle.
const CASES: &str = include_str!("new_op/cases.py.txt");
/// The rows of the op suite.
const TABLE: &str = include_str!("new_op/table.rs.txt");

/// The end of the table of ops.
const TABLE_END: &str = "        }\n    };\n}\n\n/// Generates [`Op`]";

/// Writes the skeleton into the workspace.
///
/// # Errors
/// The name is not a method name, is taken, or a file has an unexpected form.
pub fn run(name: &str) -> Result {
    let touched = write(&cargo::workspace(), name)?;
    for file in &touched {
        println!("{file}");
    }
    println!(
        "Now fill in the attributes, the rules, the lowering, the evaluation and the cases; then: \
         cargo xtask oracle ops {name}"
    );
    Ok(())
}

/// Writes the skeleton below `root`; returns the files.
fn write(root: &Path, name: &str) -> Result<Vec<String>> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(is_letter) {
        return Err(format!("`{name}` is not a method name, such as `next_after`"));
    }
    let variant = variant(name);
    let filled = |template: &str| template.replace("op_name", name).replace("OpName", &variant);
    let table = "crates/graph/src/op.rs";
    let tag = next_tag(&read(root, table)?)?;
    let row = format!(
        "            /// TODO: what it computes.\n            {tag} {variant}({variant}) \
         {variant};\n{TABLE_END}"
    );
    let edits = [
        (table, TABLE_END, row),
        (table, "        ArgReduce,", format!("        {variant}, ArgReduce,")),
        (
            "crates/graph/src/ops/mod.rs",
            "mod activation;\n",
            format!("mod activation;\nmod {name};\n"),
        ),
        (
            "crates/graph/src/ops/mod.rs",
            "pub use arg_reduce",
            format!("pub use {name}::{variant};\npub use arg_reduce"),
        ),
        (
            "crates/graph/src/ops/mod.rs",
            "hloom_derive::tensor_method_blocks! {\n",
            format!("hloom_derive::tensor_method_blocks! {{\n    {name},\n"),
        ),
        (
            "crates/stablehlo/tests/it/op_table/names.txt",
            "# op | axes | JAX | PyTorch | candle | ZML | differentiable\n",
            filled(
                "# op | axes | JAX | PyTorch | candle | ZML | differentiable\n\
                 op_name | elementwise | - | - | - | - | no\n",
            ),
        ),
        (
            "crates/stablehlo/src/ops/mod.rs",
            "mod broadcast;\n",
            format!("mod broadcast;\nmod {name};\n"),
        ),
        (
            "crates/interpret/src/ops/mod.rs",
            "mod arithmetic;\n",
            format!("mod arithmetic;\nmod {name};\n"),
        ),
        (
            "crates/stablehlo/tests/it/programs/mod.rs",
            "mod control;\n",
            format!("mod control;\nmod {name};\n"),
        ),
        (
            "crates/stablehlo/tests/it/programs/mod.rs",
            "    all.extend(over_mesh());\n",
            format!("    all.extend({name}::{name}());\n    all.extend(over_mesh());\n"),
        ),
        (
            "crates/stablehlo/tests/it/programs/mod.rs",
            "        control::MISTAKES,\n",
            format!("        control::MISTAKES,\n        {name}::MISTAKES,\n"),
        ),
        (
            "crates/op-suite/src/families/mod.rs",
            "mod accuracy;\n",
            format!("mod accuracy;\nmod {name};\n"),
        ),
        (
            "crates/op-suite/src/families/mod.rs",
            "    accuracy,\n",
            format!("    accuracy,\n    {name},\n"),
        ),
        (
            "tests/it/ops/mod.rs",
            "families! {\n",
            format!("families! {{\n    {name}: {name}_matches;\n"),
        ),
        (
            "tests/oracle/op_families/__init__.py",
            "    \"constant\",\n",
            format!("    \"constant\",\n    \"{name}\",\n"),
        ),
    ];
    let files = [
        (format!("crates/graph/src/ops/{name}.rs"), filled(DEFINITION)),
        (format!("crates/stablehlo/src/ops/{name}.rs"), filled(LOWERING)),
        (format!("crates/interpret/src/ops/{name}.rs"), filled(EVALUATION)),
        (format!("crates/stablehlo/tests/it/programs/{name}.rs"), filled(PROGRAM)),
        (format!("crates/op-suite/src/families/{name}.rs"), filled(TABLE)),
        (format!("tests/oracle/op_families/{name}.py"), filled(CASES)),
    ];
    if let Some((taken, _)) = files.iter().find(|(file, _)| root.join(file).exists()) {
        return Err(format!("`{taken}` already exists"));
    }
    // Nothing is written until all edits succeed.
    let mut edited: Vec<(&str, String)> = Vec::new();
    for (file, before, after) in &edits {
        let text = match edited.iter().position(|(other, _)| other == file) {
            Some(at) => edited.remove(at).1,
            None => read(root, file)?,
        };
        if !text.contains(before) {
            return Err(format!("`{file}` has no line {before:?} to put the op next to"));
        }
        edited.push((file, text.replacen(before, after, 1)));
    }
    let mut touched = Vec::new();
    for (file, text) in edited
        .iter()
        .map(|(file, text)| (*file, text))
        .chain(files.iter().map(|(f, t)| (f.as_str(), t)))
    {
        fs::write(root.join(file), text).map_err(|error| format!("{file}: {error}"))?;
        touched.push(file.to_owned());
    }
    Ok(touched)
}

fn read(root: &Path, file: &str) -> Result<String> {
    fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"))
}

/// The name of the variant: `next_after` is `NextAfter`.
fn variant(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| {
            first.to_ascii_uppercase().to_string() + letters.as_str()
        })
    });
    words.collect()
}

/// One more than the highest tag of the table: tags are permanent.
fn next_tag(table: &str) -> Result<u32> {
    let tags = table.lines().filter_map(|line| {
        let (tag, rest) = line.trim().split_once(' ')?;
        rest.ends_with(';').then(|| tag.parse::<u32>().ok())?
    });
    let highest = tags.max().ok_or("the table of ops has no tags")?;
    Ok(highest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{path::PathBuf, process::Command};

    /// A copy of the files that the skeleton is put into.
    fn copy() -> tempfile::TempDir {
        let (root, copy) = (cargo::workspace(), tempfile::tempdir().unwrap());
        for file in [
            "crates/graph/src/op.rs",
            "crates/graph/src/ops/mod.rs",
            "crates/interpret/src/ops/mod.rs",
            "crates/op-suite/src/families/mod.rs",
            "crates/stablehlo/src/ops/mod.rs",
            "crates/stablehlo/tests/it/op_table/names.txt",
            "crates/stablehlo/tests/it/programs/mod.rs",
            "tests/it/ops/mod.rs",
            "tests/oracle/op_families/__init__.py",
        ] {
            let to = copy.path().join(file);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(root.join(file), to).unwrap();
        }
        copy
    }

    #[test]
    fn a_skeleton_is_put_beside_the_other_ops() {
        let copy = copy();
        let before = next_tag(&read(copy.path(), "crates/graph/src/op.rs").unwrap()).unwrap();
        let touched = write(copy.path(), "far_away").unwrap();
        assert_eq!(touched.len(), 15, "{touched:?}");
        // The home, the row, the lowering, the evaluation and three `mod` lines.
        let is_product = |file: &&String| file.contains("/src/") && !file.contains("/op-suite/");
        let product = touched.iter().filter(is_product).count();
        assert_eq!(product, 7, "{touched:?}");
        let table = read(copy.path(), "crates/graph/src/op.rs").unwrap();
        assert!(table.contains(&format!("{before} FarAway(FarAway) FarAway;")), "{table}");
        assert_eq!(next_tag(&table).unwrap(), before + 1);
        let definition = read(copy.path(), "crates/graph/src/ops/far_away.rs").unwrap();
        assert!(
            definition.contains("pub struct FarAway;") && !definition.contains("OpName"),
            "{definition}"
        );
        let families = read(copy.path(), "crates/op-suite/src/families/mod.rs").unwrap();
        assert!(families.contains("mod far_away;") && families.contains("    far_away,\n"));
        let tests = read(copy.path(), "tests/it/ops/mod.rs").unwrap();
        assert!(tests.contains("    far_away: far_away_matches;\n"), "{tests}");
        assert!(write(copy.path(), "far_away").unwrap_err().contains("already exists"));
    }

    #[test]
    fn names_that_no_method_has_change_nothing() {
        let copy = copy();
        for name in ["", "Far", "9x", "a-b", "../x"] {
            assert!(write(copy.path(), name).is_err(), "{name}");
        }
        fs::write(copy.path().join("tests/it/ops/mod.rs"), "").unwrap();
        assert!(write(copy.path(), "far").unwrap_err().contains("has no line"));
        assert!(!copy.path().join("crates/graph/src/ops/far.rs").exists());
    }

    /// A copy of the workspace's files that git tracks, without files that only tests read. The
    /// folder is the same each time, so that cargo's outputs replace those of the last run.
    fn copy_of_workspace() -> PathBuf {
        let (root, copy) = (cargo::workspace(), folder().join("workspace"));
        let _ = fs::remove_dir_all(&copy);
        let git = Command::new("git").args(["ls-files", "-z"]).current_dir(&root).output();
        let git = git.expect("git is installed");
        assert!(git.status.success(), "{}", String::from_utf8_lossy(&git.stderr));
        for file in git.stdout.split(|&byte| byte == 0).map(String::from_utf8_lossy) {
            let without = ["tests/fixtures/", "tests/it/data/", "docs/"];
            let from = root.join(&*file);
            if from.is_file() && !without.iter().any(|folder| file.starts_with(folder)) {
                let to = copy.join(&*file);
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::copy(from, to).unwrap();
            }
        }
        copy
    }

    fn folder() -> PathBuf {
        let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        cargo::workspace().join(target).join("tests/new-op")
    }

    #[test]
    fn a_skeleton_compiles() {
        let copy = copy_of_workspace();
        write(&copy, "far_away").unwrap();
        let mut check = cargo::command(&[
            "check",
            "--offline",
            "--no-default-features",
            "--package=hloom-graph",
            "--package=hloom-interpret",
            "--package=hloom-stablehlo",
            "--lib",
            "--test=stablehlo_text",
        ]);
        check.current_dir(&copy).env("CARGO_TARGET_DIR", folder());
        let ended = check.output().unwrap();
        let errors = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success() && !errors.contains("warning:"), "{errors}");
    }
}
