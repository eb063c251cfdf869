//! Folders of the cache and their sizes.

use std::{
    collections::HashSet,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use serde::Serialize;

/// A folder of the cache.
#[derive(Clone, Debug, Serialize)]
pub struct Folder {
    /// Its path.
    pub path: PathBuf,
    /// Bytes of the files in it and below; a file with several names counts once.
    pub bytes: u64,
    /// The number of these files.
    pub files: usize,
}

/// The cache's folders, with each installation of a plugin listed separately.
pub fn folders() -> Vec<Folder> {
    let Ok(root) = pjrt_plugins::cache_root() else {
        return Vec::new();
    };
    let mut seen = HashSet::new();
    let mut paths = Vec::new();
    for folder in children(&root) {
        if folder.ends_with("plugins") {
            paths.extend(children(&folder))
        } else {
            paths.push(folder)
        }
    }
    paths.into_iter().map(|path| measure(path, &mut seen)).collect()
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn measure(path: PathBuf, seen: &mut HashSet<(u64, u64)>) -> Folder {
    let (mut bytes, mut files) = (0, 0);
    let mut open = vec![path.clone()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(data) = entry.metadata() else { continue };
            if data.is_dir() {
                open.push(entry.path());
            } else {
                files += 1;
                if seen.insert((data.dev(), data.ino())) {
                    bytes += data.len();
                }
            }
        }
    }
    Folder { path, bytes, files }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_two_names_counts_once() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::create_dir(folder.path().join("below")).unwrap();
        fs::write(folder.path().join("a"), [0; 100]).unwrap();
        fs::hard_link(folder.path().join("a"), folder.path().join("below/b")).unwrap();
        let measured = measure(folder.path().to_owned(), &mut HashSet::new());
        assert_eq!((measured.bytes, measured.files), (100, 2));
    }
}
