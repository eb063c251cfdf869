//! The table of features and the tests that show them, `docs/parity.md`.
//!
//! A test names the features that it shows in its documentation: a paragraph that begins with the
//! feature's label, such as `E5: ...`.

mod features;

use std::{collections::BTreeMap, fmt::Write, fs, path::Path};

use crate::{Result, files};
use features::FEATURES;

/// The page, from the sources below `root`.
///
/// # Errors
/// A source cannot be read, a label is of no feature, or no test shows a feature.
pub fn page(root: &Path) -> Result<String> {
    let known: Vec<&str> = FEATURES.iter().flat_map(|(_, all)| all.iter().map(|f| f.0)).collect();
    let mut tests: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files::below(root, "rs")? {
        let file = root.join(&path);
        let text = fs::read_to_string(&file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        for (label, test) in labels(&text) {
            tests.entry(label).or_default().push(format!("`{path}`: `{test}`"));
        }
    }
    let unknown: Vec<&String> = tests.keys().filter(|l| !known.contains(&l.as_str())).collect();
    if !unknown.is_empty() {
        return Err(format!("labels of no feature: {unknown:?}"));
    }
    let (page, missing) = table(&tests);
    if missing.is_empty() {
        return Ok(page);
    }
    Err(format!("features that no test shows: {missing:?}"))
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
fn table(tests: &BTreeMap<String, Vec<String>>) -> (String, Vec<&'static str>) {
    let mut page = String::from(
        "# Features and the tests that show them\n\nParity is with the systems whose features \
         Hloom combines: the executables (E) and callbacks (C) of ZML,\nthe PJRT wrapper of gopjrt \
         (G), the JIT of Raven (R), and the schedules of ug, here lazy tensors (U). The features \
         of X\nare in none of them.\n\nWritten from the documentation of the tests: a paragraph \
         of it that begins with the label of a feature. Tests whose names begin with `plugin_`\n\
         need that plugin; the others run with the CPU plugin.\n",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_a_test_and_the_page_is_the_table() {
        let root = crate::cargo::workspace();
        let files = files::below(&root, "rs").unwrap();
        assert!(files.len() > 300, "the sources are not found: {}", files.len());
        let found = fs::read_to_string(root.join("docs/parity.md")).unwrap();
        assert!(
            found == page(&root).unwrap(),
            "docs/parity.md is stale: `cargo xtask check --fix` writes it"
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
        // The markers are replaced here, since the other test reads this file too.
        let text = text.replace("@@@", "///");
        let expected = [("E2", "first"), ("C4", "first"), ("E66", "second")];
        let found = labels(&text);
        let found: Vec<(&str, &str)> = found.iter().map(|(l, t)| (&**l, &**t)).collect();
        assert_eq!(found, expected);
        for line in ["E: x", "EE1: x", "1: x", "E1 x", "E1:x", "é1: x", ""] {
            assert_eq!(label(line), None, "{line}");
        }
    }
}
