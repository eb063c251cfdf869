//! The files of the repository, without build outputs and hidden folders.

use std::{fs, path::Path};

use crate::Result;

/// The files below `root` with this extension, as sorted paths from `root`.
///
/// # Errors
/// A folder cannot be read.
pub fn below(root: &Path, extension: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    visit(root, extension, "", &mut found)?;
    found.sort_by(|a, b| Path::new(a).cmp(Path::new(b)));
    Ok(found)
}

/// Adds the files of a folder, whose paths begin with `prefix`.
fn visit(folder: &Path, extension: &str, prefix: &str, found: &mut Vec<String>) -> Result {
    let failed = |error| format!("cannot read {}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if entry.file_type().map_err(failed)?.is_dir() {
            if name != "target" && !name.starts_with('.') {
                visit(&entry.path(), extension, &format!("{path}/"), found)?;
            }
        } else if Path::new(&name).extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_below_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["b.md", "a/c.md", "a/d.rs", "a/target/e.md", ".git/f.md", "a-b/g.md"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        assert_eq!(below(folder.path(), "md").unwrap(), ["a/c.md", "a-b/g.md", "b.md"]);
        assert!(below(&folder.path().join("none"), "md").unwrap_err().contains("none"));
    }
}
