//! Links of the documentation: each leads to a file of the repository, and to a heading of it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Component, Path, PathBuf},
};

use super::markdown::{self, Link};
use crate::{Result, files};

/// Checks the relative links of every Markdown file below `root`.
///
/// # Errors
/// Each broken link, as `file:line`; or a file cannot be read.
pub fn check(root: &Path) -> Result {
    let files = files::below(root, "md")?;
    let mut texts = BTreeMap::new();
    for file in &files {
        let text = fs::read_to_string(root.join(file))
            .map_err(|error| format!("cannot read {file}: {error}"))?;
        texts.insert(PathBuf::from(file), text);
    }
    let mut broken = Vec::new();
    for (file, text) in &texts {
        for Link { line, target } in markdown::links(text) {
            if let Err(reason) = resolve(root, &texts, file, &target) {
                broken.push(format!("{}:{line}: `{target}`: {reason}", file.display()));
            }
        }
    }
    if broken.is_empty() {
        return Ok(());
    }
    Err(format!("broken links:\n  {}", broken.join("\n  ")))
}

/// Whether the target of a link in `file` exists; addresses of other hosts are not checked.
fn resolve(root: &Path, texts: &BTreeMap<PathBuf, String>, file: &Path, target: &str) -> Result {
    if target.contains("://") || target.starts_with("mailto:") {
        return Ok(());
    }
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (target, None),
    };
    let path = match path {
        "" => file.to_owned(),
        path => within(file.parent().unwrap_or(file), path).ok_or("leads out of the repository")?,
    };
    if !root.join(&path).exists() {
        return Err(format!("there is no {}", path.display()));
    }
    match (anchor, texts.get(&path)) {
        (Some(anchor), Some(text)) if !markdown::anchors(text).iter().any(|a| a == anchor) => {
            Err(format!("{} has no heading `#{anchor}`", path.display()))
        }
        _ => Ok(()),
    }
}

/// The path of the repository that a relative path from `folder` leads to.
fn within(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut found = folder.to_owned();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(name) => found.push(name),
            Component::CurDir => {}
            Component::ParentDir => found.pop().then_some(())?,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_links_are_reported_with_their_lines_and_others_pass() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("LICENSE", "");
        write("docs/ops.md", "# Ops\n## `dot`, and more\n");
        let sound = "[a](docs/ops.md) [b](docs/ops.md#dot-and-more) [c](LICENSE) [d](docs) \
                     [e](#here) [f](https://example.com/x)\n# Here\n";
        write("README.md", sound);
        write("docs/other.md", "[a](../README.md#here) [b](./ops.md#ops)\n");
        assert_eq!(check(folder.path()), Ok(()));
        write("docs/other.md", "[a](../../x)\n[b](gone.md) [c](ops.md#gone)\n\n[d](/etc) [e](#x)");
        let expected = "broken links:\n  \
            docs/other.md:1: `../../x`: leads out of the repository\n  \
            docs/other.md:2: `gone.md`: there is no docs/gone.md\n  \
            docs/other.md:2: `ops.md#gone`: docs/ops.md has no heading `#gone`\n  \
            docs/other.md:4: `/etc`: leads out of the repository\n  \
            docs/other.md:4: `#x`: docs/other.md has no heading `#x`";
        assert_eq!(check(folder.path()), Err(expected.to_owned()));
    }

    #[test]
    fn the_links_of_this_repository_resolve() {
        let root = crate::cargo::workspace();
        assert!(files::below(&root, "md").unwrap().len() > 20, "the pages are not found");
        check(&root).unwrap();
    }
}
