//! The folders of the system's libraries, as its loader searches them.

use crate::plugin::discovery::paths_of;
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

/// The loader's list of folders.
const CONFIGURATION: &str = "/etc/ld.so.conf";

/// More files than a system's configuration includes.
const MAX_FILES: usize = 256;

/// The folders to look for plugins in, each once: those of the environment, those of the loader's
/// configuration, and its own, with the folders of this architecture.
pub(crate) fn folders() -> Vec<PathBuf> {
    let mut all = vec![PathBuf::from("/usr/local/lib/gomlx/pjrt")];
    all.extend(paths_of("LD_LIBRARY_PATH"));
    if cfg!(target_os = "macos") {
        all.extend(paths_of("DYLD_LIBRARY_PATH"));
    }
    if cfg!(target_os = "linux") {
        all.extend(configured(Path::new(CONFIGURATION)));
    }
    all.extend(own());
    // Systems link `/lib` to `/usr/lib`.
    let mut known = HashSet::new();
    all.retain(|folder| known.insert(folder.canonicalize().unwrap_or_else(|_| folder.clone())));
    all
}

/// The folders that a loader searches by default.
fn own() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for prefix in ["/usr/local", "/usr", "/"].map(Path::new) {
        folders.push(prefix.join("lib"));
        if cfg!(target_os = "linux") {
            folders.push(prefix.join("lib").join(multiarch()));
            folders.push(prefix.join("lib64"));
        }
    }
    folders
}

/// The name of the folders with the libraries of this architecture on Debian and its relatives.
fn multiarch() -> String {
    let suffix = if cfg!(target_arch = "arm") { "gnueabihf" } else { "gnu" };
    format!("{}-linux-{suffix}", std::env::consts::ARCH)
}

/// The folders that the loader's configuration at `path` lists, those of included files in their
/// place. What cannot be read is skipped, as the loader does.
fn configured(path: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    read(path, &mut HashSet::new(), &mut folders);
    folders
}

fn read(path: &Path, seen: &mut HashSet<PathBuf>, folders: &mut Vec<PathBuf>) {
    let Ok(file) = path.canonicalize() else { return };
    if seen.len() >= MAX_FILES || !seen.insert(file) {
        return;
    }
    let Ok(bytes) = std::fs::read(path) else { return };
    for line in String::from_utf8_lossy(&bytes).lines() {
        let line = line.split_once('#').map_or(line, |(before, _)| before).trim();
        match line.strip_prefix("include").filter(|rest| rest.starts_with([' ', '\t'])) {
            Some(patterns) => {
                let base = path.parent().unwrap_or(Path::new("/"));
                for file in patterns.split_whitespace().flat_map(|pattern| matches(base, pattern)) {
                    read(&file, seen, folders);
                }
            }
            // Capabilities of processors, of loaders until 2020.
            None if line.starts_with("hwcap ") => {}
            None => {
                // Older loaders take several folders to a line, each with a type after `=`.
                let names = line.split([' ', '\t', ',', ':']).filter(|name| !name.is_empty());
                let names = names.map(|name| name.split_once('=').map_or(name, |(name, _)| name));
                folders.extend(names.filter(|name| name.starts_with('/')).map(PathBuf::from));
            }
        }
    }
}

/// The files that the pattern of an `include` names, in the order of their names. A `*` in the
/// file's name matches any text; patterns in folders' names are not expanded.
fn matches(base: &Path, pattern: &str) -> Vec<PathBuf> {
    let path = base.join(pattern);
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    if !name.contains('*') {
        return vec![path];
    }
    let Some(Ok(entries)) = path.parent().map(std::fs::read_dir) else { return Vec::new() };
    let fits = |file: &PathBuf| {
        file.file_name().and_then(|found| found.to_str()).is_some_and(|found| fits(name, found))
    };
    let mut files: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(fits).collect();
    files.sort();
    files
}

/// Whether a file's name fits a pattern. As in a shell, `*` does not match a leading dot.
fn fits(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let mut parts = pattern.split('*');
    // `split` yields at least one part.
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_of_the_loader_lists_folders() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir(at("conf.d")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(at(name), text).unwrap();
        let absolute = at("more.conf");
        write(
            "ld.so.conf",
            &format!(
                "# folders\n/opt/first # a comment\n\n  include conf.d/*.conf\ninclude {}\n\
                 /opt/last/=glibc2 /opt/other,/opt/third\nhwcap 0 nosegneg\nrelative\n",
                absolute.display()
            ),
        );
        write("conf.d/b.conf", "/opt/b\ninclude ../ld.so.conf\n");
        write("conf.d/a.conf", "/opt/a\nincluded/x\n");
        write("conf.d/.hidden.conf", "/opt/hidden\n");
        write("conf.d/other.txt", "/opt/other\n");
        std::fs::write(&absolute, b"/opt/\xff\n\n/opt/more\ninclude no-such-file *.none\n")
            .unwrap();
        let found = configured(&at("ld.so.conf"));
        let expected = [
            "/opt/first",
            "/opt/a",
            "/opt/b",
            "/opt/\u{fffd}",
            "/opt/more",
            "/opt/last/",
            "/opt/other",
            "/opt/third",
        ];
        assert_eq!(found, expected.map(PathBuf::from));
        assert!(configured(&at("none")).is_empty());
    }

    #[test]
    fn patterns_are_those_of_a_shell() {
        for (pattern, name) in
            [("*.conf", "a.conf"), ("a*c*e", "abcde"), ("*", "x"), ("a", "a"), (".*", ".x")]
        {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("*.conf", "a.con"), ("a*b*b", "ab"), ("*", ".x"), ("a", "ab"), ("a*a", "a")]
        {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn folders_of_the_architecture_are_searched_once() {
        let all = folders();
        let real = |folder: &PathBuf| folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let found: Vec<PathBuf> = all.iter().map(real).collect();
        for folder in ["/usr/lib", "/usr/local/lib", &format!("/usr/lib/{}", multiarch())] {
            let folder = real(&PathBuf::from(folder));
            assert_eq!(found.iter().filter(|&f| *f == folder).count(), 1, "{}", folder.display());
        }
    }
}
