//! Generated pages: each must equal the text generated from its sources.

use std::{fs, path::Path};

use crate::{Result, parity, plugins};

/// A page, and the command that writes it.
struct Page {
    /// The path from the root of the repository.
    file: &'static str,
    /// Generates the page from the files below the root.
    content: fn(root: &Path) -> Result<String>,
    writer: Writer,
}

/// The command that writes a stale page.
#[derive(Clone, Copy)]
enum Writer {
    /// `cargo xtask check --fix`, which needs no plugin.
    Fix,
    /// Another command.
    Command(&'static str),
}

/// The pages that need no other program.
const PAGES: [Page; 2] = [
    Page { file: "docs/parity.md", content: parity::page, writer: Writer::Fix },
    Page {
        file: "README.md",
        content: plugins::matrix::page,
        writer: Writer::Command("cargo xtask plugins test"),
    },
];

/// Checks every page below `root`; with `fix`, writes those that need no plugin.
///
/// # Errors
/// Each stale page, with the command that writes it; or a file cannot be read or written.
pub fn check(root: &Path, fix: bool) -> Result {
    check_each(&PAGES, root, fix)
}

fn check_each(pages: &[Page], root: &Path, fix: bool) -> Result {
    let mut problems = Vec::new();
    for Page { file, content, writer } in pages {
        let path = root.join(file);
        let failed = |what, error| format!("cannot {what} {file}: {error}");
        match content(root) {
            Err(error) => problems.push(format!("{file}: {error}")),
            Ok(content) => {
                let found = fs::read_to_string(&path).map_err(|error| failed("read", error))?;
                match (writer, fix) {
                    _ if found == content => {}
                    (Writer::Fix, true) => {
                        fs::write(&path, content).map_err(|error| failed("write", error))?;
                        println!("wrote {file}");
                    }
                    (Writer::Fix, false) => problems.push(stale(file, "cargo xtask check --fix")),
                    (Writer::Command(command), _) => problems.push(stale(file, command)),
                }
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

fn stale(file: &str, command: &str) -> String {
    format!("{file} is stale: `{command}` writes it")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONES: [Page; 3] = [
        Page { file: "own.md", content: |_| Ok("own\n".into()), writer: Writer::Fix },
        Page {
            file: "plugin.md",
            content: |root| fs::read_to_string(root.join("source")).map_err(|e| e.to_string()),
            writer: Writer::Command("cargo xtask plugins test"),
        },
        Page { file: "wrong.md", content: |_| Err("no test shows E1".into()), writer: Writer::Fix },
    ];

    #[test]
    fn stale_pages_are_reported_with_what_writes_them_and_written_where_that_is_this_program() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for file in ["own.md", "plugin.md", "wrong.md", "source"] {
            fs::write(root.join(file), "old\n").unwrap();
        }
        assert_eq!(check_each(&ONES[1..2], root, false), Ok(()));
        fs::write(root.join("source"), "new\n").unwrap();
        let stale = "plugin.md is stale: `cargo xtask plugins test` writes it\n\
                     wrong.md: no test shows E1";
        let own = "own.md is stale: `cargo xtask check --fix` writes it\n";
        assert_eq!(check_each(&ONES, root, false), Err(format!("{own}{stale}")));
        assert_eq!(fs::read_to_string(root.join("own.md")).unwrap(), "old\n");
        assert_eq!(check_each(&ONES, root, true), Err(stale.to_owned()));
        assert_eq!(fs::read_to_string(root.join("own.md")).unwrap(), "own\n");
        assert_eq!(fs::read_to_string(root.join("plugin.md")).unwrap(), "old\n");
        assert_eq!(check_each(&ONES[..1], root, false), Ok(()));
    }
}
