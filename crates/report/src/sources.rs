//! The source lines that a program names.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::Read,
    path::{Component, Path, PathBuf},
};

/// The number of lines shown before and after a line that is used.
const AROUND: u32 = 5;

/// The maximum size of a file that is read, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The maximum length of a line that is shown, in characters.
const MAX_WIDTH: usize = 400;

/// Extensions of source files. The program names the files, and must not choose others.
const EXTENSIONS: [&str; 17] = [
    "c", "cc", "cpp", "cu", "cxx", "go", "h", "hpp", "jl", "ml", "mlir", "mojo", "nim", "py", "rs",
    "swift", "zig",
];

/// Some lines of a file, by number; none if it is not readable.
pub(crate) type Lines = BTreeMap<u32, String>;

/// The lines of `file` around those that are used.
pub(crate) fn read(roots: &[PathBuf], file: &str, used: &BTreeSet<u32>) -> Lines {
    let text = roots.iter().find_map(|root| read_below(root, Path::new(file)));
    let Some(text) = text else { return Lines::new() };
    let near = |line: u32| {
        let range = line.saturating_sub(AROUND)..=line.saturating_add(AROUND);
        used.range(range).next().is_some()
    };
    let numbered = (1..).zip(text.lines());
    let shown = numbered.filter(|&(line, _)| near(line));
    shown.map(|(line, text)| (line, text.chars().take(MAX_WIDTH).collect())).collect()
}

/// The text of a source file below `root`; `None` for a file that is outside, hidden, or not a
/// source file.
fn read_below(root: &Path, file: &Path) -> Option<String> {
    let extension = file.extension()?.to_str()?;
    EXTENSIONS.contains(&extension).then_some(())?;
    let root = fs::canonicalize(root).ok()?;
    let path = fs::canonicalize(root.join(file)).ok()?;
    let inner = path.strip_prefix(&root).ok()?;
    let is_hidden = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
    if inner.components().any(is_hidden) || path.extension()? != extension {
        return None;
    }
    // Other kinds of files may block, or never end.
    fs::metadata(&path).ok().filter(|data| data.is_file() && data.len() <= MAX_BYTES)?;
    let mut text = String::new();
    File::open(&path).ok()?.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_around_those_used_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let text: String = (1..=40).map(|line| format!("line {line}\n")).collect();
        fs::write(folder.path().join("a.rs"), text).expect("written");
        let roots = [folder.path().to_owned()];
        let lines = read(&roots, "a.rs", &BTreeSet::from([3, 30]));
        let numbers: Vec<_> = lines.keys().copied().collect();
        assert_eq!(
            numbers,
            [1, 2, 3, 4, 5, 6, 7, 8].into_iter().chain(25..=35).collect::<Vec<_>>()
        );
        assert_eq!(lines[&30], "line 30");
        let absolute = folder.path().join("a.rs");
        let absolute = absolute.to_str().expect("UTF-8");
        assert_eq!(read(&roots, absolute, &BTreeSet::from([30])).len(), 11);
        assert!(read(&[], absolute, &BTreeSet::from([30])).is_empty(), "no folder, no file");
    }

    #[test]
    #[cfg(unix)]
    fn files_that_a_program_must_not_name_are_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("project");
        fs::create_dir_all(root.join(".git")).expect("a folder");
        for name in ["secret.rs", "project/.git/a.rs", "project/.hidden.rs", "project/key.pem"] {
            fs::write(folder.path().join(name), "secret\n").expect("written");
        }
        std::os::unix::fs::symlink("../secret.rs", root.join("link.rs")).expect("a link");
        std::os::unix::fs::symlink("key.pem", root.join("key.rs")).expect("a link");
        fs::write(root.join("bytes.rs"), [0xff, 0xfe]).expect("written");
        let outside = folder.path().join("secret.rs");
        let names = [
            "../secret.rs",
            outside.to_str().expect("UTF-8"),
            ".git/a.rs",
            ".hidden.rs",
            "key.pem",
            "link.rs",
            "key.rs",
            "bytes.rs",
            "missing.rs",
            "",
            "-",
        ];
        for name in names {
            assert!(
                read(std::slice::from_ref(&root), name, &BTreeSet::from([1])).is_empty(),
                "{name}"
            );
        }
    }
}
