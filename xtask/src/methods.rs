//! The methods in the documentation that rustdoc builds are those of `docs/methods.md`, which the
//! attribute `tensor_methods` lists: no block of methods lacks it.

use crate::Result;
use std::{collections::BTreeSet, fs, path::Path};

/// Compares the pages of the types in `documentation`, the folder of the graph crate's pages, with
/// the table of methods.
///
/// # Errors
/// The methods that the table lacks; a page cannot be read, or has another form.
pub fn check(table: &Path, documentation: &Path) -> Result {
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let mut missing = Vec::new();
    for (of, listed) in tables(&read(table)?) {
        let path = documentation.join(format!("struct.{of}.html"));
        let public = public(&read(&path)?);
        if public.is_empty() {
            return Err(format!("{}: no method is found", path.display()));
        }
        missing.extend(public.difference(&listed).map(|name| format!("`{of}::{name}`")));
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "not listed in {}, since their blocks lack `#[hloom_derive::tensor_methods(..)]`: {}",
        table.display(),
        missing.join(", ")
    ))
}

/// The types of the table, each with the names of its methods.
fn tables(page: &str) -> Vec<(String, BTreeSet<String>)> {
    let mut tables: Vec<(String, BTreeSet<String>)> = Vec::new();
    for line in page.lines() {
        if let Some(of) = line.strip_prefix("## ") {
            tables.push((of.to_owned(), BTreeSet::new()));
        } else if let Some((_, listed)) = tables.last_mut()
            && let Some(row) = line.strip_prefix("| `")
            && let Some((name, _)) = row.split_once('(')
        {
            listed.insert(name.to_owned());
        }
    }
    tables
}

/// The names of the methods of a type that are not those of a trait or of specs, by the page's
/// anchors.
fn public(page: &str) -> BTreeSet<String> {
    let own = page.split_once("id=\"implementations\"").map_or("", |(_, own)| own);
    let own = own.split_once("id=\"trait-implementations\"").map_or(own, |(own, _)| own);
    let anchors = own.split("<section id=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    let (mut is_of_specs, mut names) = (false, BTreeSet::new());
    for (anchor, _) in anchors {
        if let Some(name) = anchor.strip_prefix("method.") {
            if !is_of_specs {
                names.insert(name.to_owned());
            }
        } else if anchor.starts_with("impl-") {
            is_of_specs = anchor.ends_with("%3CSpec%3E");
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<h2 id=\"implementations\">Implementations</h2>\
        <section id=\"impl-Tensor%3CSpec%3E\"></section><section id=\"method.spec\"></section>\
        <section id=\"impl-Tensor\"></section>\
        <section id=\"method.abs\" class=\"method\"><a href=\"#method.exp\"></a></section>\
        <section id=\"method.exp\" class=\"method\"></section>\
        <h2 id=\"trait-implementations\">Trait</h2><section id=\"method.add\"></section>";

    #[test]
    fn a_method_that_is_not_listed_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("methods.md");
        fs::write(folder.path().join("struct.Tensor.html"), PAGE).unwrap();
        let rows = "## Tensor\n\n| Method |\n|---|\n| `abs(self)` | `Tensor` | - |\n";
        fs::write(&table, rows).unwrap();
        let error = check(&table, folder.path()).unwrap_err();
        assert!(error.ends_with(": `Tensor::exp`"), "{error}");
        fs::write(&table, format!("{rows}| `exp(self)` | `Tensor` | - |\n")).unwrap();
        check(&table, folder.path()).unwrap();
    }

    #[test]
    fn a_page_of_another_form_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("methods.md");
        fs::write(&table, "## Tensor\n").unwrap();
        assert!(check(&table, folder.path()).is_err());
        fs::write(folder.path().join("struct.Tensor.html"), "<h2>Methods</h2>").unwrap();
        assert!(check(&table, folder.path()).unwrap_err().contains("no method is found"));
    }
}
