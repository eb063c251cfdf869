//! The width of lines, also of those that rustfmt does not format: comments, macros and tables.

use std::fs;
use std::path::Path;

use crate::Result;

/// The most columns of a line, as in `rustfmt.toml`.
const WIDTH: usize = 100;

/// Files with wider lines, and why.
const WIDER: [(&str, &str); 2] = [
    ("crates/pjrt-sys/src/bindings.rs", "generated"),
    ("crates/pjrt-sys/src/functions.rs", "a table with one function per line"),
];

/// Checks the Rust sources below a folder, except those of build outputs and hidden folders.
pub fn check(root: &Path) -> Result {
    let mut found = Vec::new();
    visit(root, root, &mut found)?;
    if found.is_empty() {
        return Ok(());
    }
    found.sort();
    Err(format!("wider than {WIDTH} columns:\n  {}", found.join("\n  ")))
}

/// Adds `file:line` of each wide line below `folder`.
fn visit(root: &Path, folder: &Path, found: &mut Vec<String>) -> Result {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |error| format!("cannot read {}: {error}", path.display())
    };
    for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
        let entry = entry.map_err(unreadable(folder))?;
        let (path, name) = (entry.path(), entry.file_name());
        if entry.file_type().map_err(unreadable(&path))?.is_dir() {
            if name != "target" && !name.to_string_lossy().starts_with('.') {
                visit(root, &path, found)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let shown = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            if WIDER.iter().all(|(wider, _)| *wider != shown) {
                let source = fs::read_to_string(&path).map_err(unreadable(&path))?;
                found.extend(wide(&source).into_iter().map(|line| format!("{shown}:{line}")));
            }
        }
    }
    Ok(())
}

/// What a character of a source belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Code,
    LineComment,
    /// With the number of comments that are open.
    BlockComment(usize),
    Text,
    /// With the number of `#` that end it.
    RawText(usize),
}

/// The numbers of the lines that are too wide: the excess is neither in a string nor in an address.
fn wide(source: &str) -> Vec<usize> {
    let mut part = Part::Code;
    let mut found = Vec::new();
    for (number, line) in source.lines().enumerate() {
        let line: Vec<char> = line.chars().collect();
        let mut in_text = false;
        let mut at = 0;
        while at < line.len() {
            let (next, length) = step(part, &line, at);
            let text = |part| matches!(part, Part::Text | Part::RawText(_));
            // The quote at the end of a string may have punctuation behind it.
            if (text(part) || text(next)) && at + length >= WIDTH {
                in_text = true;
            }
            (part, at) = (next, at + length);
        }
        if line.len() > WIDTH && !in_text && !has_address(&line) {
            found.push(number + 1);
        }
        if part == Part::LineComment {
            part = Part::Code;
        }
    }
    found
}

/// What follows the next token of a line, and the number of its characters.
fn step(part: Part, line: &[char], at: usize) -> (Part, usize) {
    let rest = &line[at..];
    let starts = |with: &str| with.chars().enumerate().all(|(i, c)| rest.get(i) == Some(&c));
    match part {
        Part::Code if starts("//") => (Part::LineComment, 2),
        Part::Code if starts("/*") => (Part::BlockComment(1), 2),
        Part::Code if starts("\"") => (Part::Text, 1),
        Part::Code if starts("r\"") || starts("r#") => {
            let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
            match rest.get(1 + hashes) {
                Some('"') => (Part::RawText(hashes), 2 + hashes),
                // A raw identifier.
                _ => (Part::Code, 2),
            }
        }
        // A character; a lifetime has no quote at its end.
        Part::Code if starts("'\\") => (Part::Code, 3 + count_until(&rest[3..], '\'')),
        Part::Code if starts("'") && rest.get(2) == Some(&'\'') => (Part::Code, 3),
        Part::BlockComment(open) if starts("/*") => (Part::BlockComment(open + 1), 2),
        Part::BlockComment(1) if starts("*/") => (Part::Code, 2),
        Part::BlockComment(open) if starts("*/") => (Part::BlockComment(open - 1), 2),
        Part::Text if starts("\\") => (Part::Text, 2),
        Part::Text if starts("\"") => (Part::Code, 1),
        Part::RawText(hashes) if starts(&format!("\"{}", "#".repeat(hashes))) => {
            (Part::Code, 1 + hashes)
        }
        other => (other, 1),
    }
}

/// The number of characters up to and with `end`.
fn count_until(line: &[char], end: char) -> usize {
    line.iter().position(|c| *c == end).map_or(line.len(), |at| at + 1)
}

/// Whether the word that passes the last column is an address, which cannot be broken.
fn has_address(line: &[char]) -> bool {
    let start = line[..WIDTH].iter().rposition(|c| *c == ' ').map_or(0, |at| at + 1);
    let word: String = line[start..].iter().take_while(|c| **c != ' ').collect();
    word.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `text` and as many `x` as fill a line with `excess` columns more than allowed.
    fn filled(text: &str, excess: usize) -> String {
        format!("{text}{}", "x".repeat(WIDTH + excess - text.chars().count()))
    }

    #[test]
    fn wide_comments_and_lines_of_macros_are_found() {
        for start in ["// ", "    /// ", "//! the word \"", "table! { ", "/* ", "let x = '\"'; // "]
        {
            assert_eq!(wide(&filled(start, 1)), [1], "{start}");
            assert_eq!(wide(&filled(start, 0)), [0; 0], "{start}");
        }
        let source = format!("a!(\n{}\n);\n{}\n", filled("  b => c, // ", 1), filled("// é", 0));
        assert_eq!(wide(&source), [2]);
        let source = format!("/* /* \"\n*/\n{}\n*/ let x = \"\";\n", filled("no text ", 1));
        assert_eq!(wide(&source), [3]);
    }

    #[test]
    fn strings_and_addresses_may_be_wide() {
        let long = "x".repeat(WIDTH);
        for line in [
            format!("    let x = \"{long}\";"),
            format!("    let x = r#\"{long}\"#;"),
            format!("    let x = br##\"\"#{long}\"##;"),
            format!("    f(\"a\\\"{long}\", b);"),
            format!("// https://example.com/{long}"),
            format!("/// ([a](https://example.com/{long}))."),
        ] {
            assert_eq!(wide(&line), [0; 0], "{line}");
        }
        let several = format!("let x = r\"\n{long}x\n\";\nlet r#type = 'a'; {long}\n");
        assert_eq!(wide(&several), [4]);
        // The string ends long before the last column.
        assert_eq!(wide(&format!("f(\"a\", {long})")), [1]);
        assert_eq!(wide(&format!("// https://example.com {long} {long}")), [1]);
    }

    #[test]
    fn files_are_found_below_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("\n{}", filled("// ", 1))).unwrap();
        };
        check(folder.path()).unwrap();
        let excused = ["a/target/b.rs", ".git/b.rs", "a.txt", "crates/pjrt-sys/src/functions.rs"];
        excused.into_iter().for_each(write);
        check(folder.path()).unwrap();
        write("a/b.rs");
        write("a.rs");
        let error = check(folder.path()).unwrap_err();
        assert_eq!(error, "wider than 100 columns:\n  a.rs:2\n  a/b.rs:2");
    }

    #[test]
    fn the_sources_of_this_repository_are_within_the_width() {
        check(&crate::cargo::workspace()).unwrap();
    }
}
