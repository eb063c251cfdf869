//! Checks the guide's pages: each is in the summary, its code is tested, and its links resolve.

use std::{collections::BTreeSet, fs, path::Path};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of the pages, without their ending.
fn pages() -> BTreeSet<String> {
    let folder = Path::new(ROOT).join("docs/guide/src");
    let files = fs::read_dir(folder).expect("the guide").map(|entry| entry.expect("a file").path());
    let names = files.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    names.filter(|name| name != "SUMMARY").collect()
}

/// The targets of the inline links of a Markdown text, outside of code.
fn links(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2).flat_map(|text| text.split('`').step_by(2));
    let found = prose.flat_map(|text| text.split("](").skip(1));
    found.filter_map(|rest| rest.split([')', '#']).next()).filter(|link| !link.is_empty()).collect()
}

#[test]
fn links_are_found_outside_of_code() {
    let text = "[a](b.md) `[no](c.md)` [d](../e.md#f) [g](#h)\n```rust\nx[0](1)\n```\n[i](j)";
    assert_eq!(links(text), ["b.md", "../e.md", "j"]);
}

#[test]
fn every_page_is_in_the_summary_once() {
    let summary = read(Path::new(ROOT).join("docs/guide/src/SUMMARY.md"));
    let listed: Vec<String> =
        links(&summary).iter().map(|link| link.trim_end_matches(".md").to_owned()).collect();
    assert_eq!(listed.iter().cloned().collect::<BTreeSet<_>>(), pages());
    assert_eq!(listed.len(), pages().len(), "a page is listed twice");
}

#[test]
fn the_code_of_every_page_is_tested() {
    let facade = read(Path::new(ROOT).join("src/lib.rs"));
    let lists =
        facade.split("pages! {").skip(1).map(|list| list.split_once('}').expect("its end").0);
    let tested: BTreeSet<String> =
        lists.flat_map(str::split_whitespace).map(str::to_owned).collect();
    assert_eq!(tested, pages());
}

#[test]
fn every_page_begins_with_a_program() {
    for page in pages() {
        let text = read(Path::new(ROOT).join(format!("docs/guide/src/{page}.md")));
        let program = text.split("```rust\n").nth(1).unwrap_or_default();
        let program = program.split("```").next().unwrap_or_default();
        assert!(program.contains("fn main()"), "{page}: the first tested code is not a program");
        assert!(program.contains("assert"), "{page}: the first program checks nothing");
    }
}

#[test]
fn relative_links_resolve() {
    let folder = Path::new(ROOT).join("docs/guide/src");
    let mut checked = 0;
    for page in pages() {
        let text = read(folder.join(format!("{page}.md")));
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            // mdBook copies only this folder: a link that leaves it would be broken on the website.
            let inside = !link.starts_with("..") && folder.join(link).is_file();
            assert!(inside, "{page}: `{link}` is not a page of the guide");
            checked += 1;
        }
        let named = text.split('`').filter(|text| {
            text.starts_with("docs/") && text.ends_with(".md") && !text.contains('\n')
        });
        for file in named {
            assert!(Path::new(ROOT).join(file).is_file(), "{page}: there is no {file}");
        }
    }
    assert!(checked > 0, "no page has a link");
}

#[test]
fn tables_of_porting_have_many_rows() {
    for page in ["from_pytorch", "from_jax", "from_candle"] {
        let text = read(Path::new(ROOT).join(format!("docs/guide/src/{page}.md")));
        let rows = text.lines().filter(|line| line.starts_with("| ")).count() - 1;
        assert!(rows >= 25, "{page} has {rows} rows");
    }
}
