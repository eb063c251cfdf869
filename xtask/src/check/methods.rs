//! The methods in the public interface of the graph crate are those of `docs/methods.md`, which the
//! attribute `tensor_methods` lists: no block of methods lacks it.

use crate::Result;
use std::{collections::BTreeSet, fs, path::Path};

/// Compares the methods in the listing of the graph crate's public interface with the table of
/// methods.
///
/// # Errors
/// The methods that the table lacks; the table cannot be read, or the listing has another form.
pub fn check(table: &Path, listing: &str) -> Result {
    let page = fs::read_to_string(table);
    let page = page.map_err(|error| format!("{}: {error}", table.display()))?;
    let mut missing = Vec::new();
    for (of, listed) in tables(&page) {
        let public = public(&of, listing);
        if public.is_empty() {
            return Err(format!("the listing of the public interface has no method of `{of}`"));
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

/// The names of the public methods of a type that are not those of a trait or of specs.
fn public(of: &str, listing: &str) -> BTreeSet<String> {
    let block = format!("impl hloom_graph::{of}");
    let method = format!("fn hloom_graph::{of}::");
    let (mut is_own, mut names) = (false, BTreeSet::new());
    for line in listing.lines() {
        if !line.starts_with("pub ") {
            is_own = line == block;
        } else if is_own
            && let Some((_, method)) = line.split_once(&method)
            && let Some(end) = method.find(['(', '<'])
        {
            names.insert(method[..end].to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "pub struct hloom_graph::Tensor\n\
        impl hloom_graph::Tensor<hloom_graph::Spec>\n\
        pub fn hloom_graph::Tensor<hloom_graph::Spec>::spec() -> Self\n\
        impl hloom_graph::Tensor\n\
        pub fn hloom_graph::Tensor::abs(self) -> hloom_graph::Tensor\n\
        pub const fn hloom_graph::Tensor::exp<T: Into<f64>>(self, x: T) -> hloom_graph::Tensor\n\
        impl core::ops::arith::Add for hloom_graph::Tensor\n\
        pub fn hloom_graph::Tensor::add(self, x: Self) -> Self\n";

    #[test]
    fn a_method_that_is_not_listed_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("methods.md");
        let rows = "## Tensor\n\n| Method |\n|---|\n| `abs(self)` | `Tensor` | - |\n";
        fs::write(&table, rows).unwrap();
        let error = check(&table, LISTING).unwrap_err();
        assert!(error.ends_with(": `Tensor::exp`"), "{error}");
        fs::write(&table, format!("{rows}| `exp(self)` | `Tensor` | - |\n")).unwrap();
        check(&table, LISTING).unwrap();
    }

    #[test]
    fn a_listing_of_another_form_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("methods.md");
        fs::write(&table, "## Tensor\n").unwrap();
        let error = check(&table, "pub struct hloom_graph::Tensor\n").unwrap_err();
        assert!(error.contains("no method of `Tensor`"), "{error}");
    }
}
