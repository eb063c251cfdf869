//! The list of forwarded methods, which the macros that write them make.

use super::{ALONG, ALONG_ONE, BINARY, BY_HAND, CREATED, GENERAL, UNARY};
use std::{collections::BTreeSet, fs, path::Path};

/// Methods of handles that a lazy tensor has in its own way; and two that it lacks: `reuse`, since
/// realizing decides which memory is reused, and `known_int`, which is for functions while they are
/// traced.
const OWN: [&str; 7] = ["is_poisoned", "shape", "dtype", "rank", "size", "reuse", "known_int"];

/// The macros that generate methods of `Tensor`.
const GENERATORS: [&str; 9] = [
    "unary!",
    "binary!",
    "compare_methods!",
    "cumulative!",
    "bit_reductions!",
    "reductions!",
    "index_updates!",
    "updates_along!",
    "methods {",
];

/// Each public method of `Tensor` in the sources of the graph crate.
fn methods_of_tensor() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../graph/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                read(&fs::read_to_string(path).unwrap(), &mut found);
            }
        }
    }
    found
}

fn read(text: &str, found: &mut BTreeSet<String>) {
    let name = |rest: &str| -> String {
        rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut is_inside = false;
    let mut generator = None;
    for line in text.lines() {
        if line == "impl Tensor {" {
            is_inside = true;
        } else if line == "}" {
            is_inside = false;
        }
        if let Some(rest) = line.strip_prefix("    pub fn ").filter(|_| is_inside) {
            found.insert(name(rest));
        }
        if let Some(&begun) = GENERATORS.iter().find(|&&begin| line.trim_start().starts_with(begin))
            && !line.contains("macro_rules")
        {
            generator = Some(begun);
        } else if let Some(begun) = generator {
            if matches!(line.trim(), ");" | "}" | "operators {") || line.starts_with('}') {
                generator = None;
            } else if !line.trim_start().starts_with("//")
                && !line.contains("pub ")
                && !line.contains('$')
            {
                let mut words = line
                    .split_whitespace()
                    .map(name)
                    .filter(|word| word.starts_with(|c: char| c.is_lowercase()));
                found.extend(words.next());
                if begun == "reductions!" {
                    found.extend(words.next());
                }
            }
        }
    }
}

#[test]
fn every_method_of_tensor_is_forwarded() {
    let expected: BTreeSet<String> =
        methods_of_tensor().into_iter().filter(|name| !OWN.contains(&name.as_str())).collect();
    let mut forwarded = BTreeSet::new();
    for names in [GENERAL, CREATED, BY_HAND] {
        forwarded.extend(names.iter().map(|name| (*name).to_owned()));
    }
    forwarded.extend(UNARY.iter().map(|(name, ..)| (*name).to_owned()));
    forwarded.extend(BINARY.iter().map(|(name, ..)| (*name).to_owned()));
    forwarded.extend(ALONG.iter().map(|(name, ..)| (*name).to_owned()));
    forwarded.extend(ALONG_ONE.iter().map(|(name, ..)| (*name).to_owned()));
    let missing: Vec<_> = expected.difference(&forwarded).collect();
    let unknown: Vec<_> = forwarded.difference(&expected).collect();
    assert!(missing.is_empty(), "methods of `Tensor` without a forwarder of `Lazy`: {missing:?}");
    assert!(unknown.is_empty(), "forwarders of methods that `Tensor` does not have: {unknown:?}");
    assert!(expected.len() > 250, "only {} methods are found", expected.len());
}
