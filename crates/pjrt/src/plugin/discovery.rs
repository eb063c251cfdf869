//! Discovery of plugins.
//!
//! This reads only the names of files and, where the name fits, the list of exported symbols: a
//! plugin is hundreds of megabytes, and loading one starts threads.

use crate::{
    Error, PluginProblem,
    plugin::{cache, library, system},
};
use std::{
    collections::HashSet,
    env,
    path::{Path, PathBuf},
};

/// A plugin that was found, usable or not.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Candidate {
    /// The plugin's name.
    pub name: String,
    /// Its file; empty for a plugin registered by the program.
    pub path: PathBuf,
    /// Where it was found.
    pub source: PluginSource,
    /// The reason why it cannot be used; `None` if it can.
    pub problem: Option<PluginProblem>,
    /// Whether another plugin of this name comes first, so that the name refers to that one.
    pub shadowed: bool,
}

/// Where a plugin was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PluginSource {
    /// Loaded or registered in this process before.
    Loaded,
    /// The file named by this variable of the environment.
    Variable(String),
    /// A folder or file of `PJRT_PLUGIN_LIBRARY_PATH`.
    LibraryPath,
    /// Hloom's cache of plugins.
    Cache,
    /// An installed Python package.
    PythonPackage,
    /// A folder of the system's libraries.
    System,
}

/// The variable with the folders and files to look for plugins in.
const LIBRARY_PATH: &str = "PJRT_PLUGIN_LIBRARY_PATH";

impl std::fmt::Display for PluginSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Loaded => "this process",
            Self::Variable(variable) => variable,
            Self::LibraryPath => LIBRARY_PATH,
            Self::Cache => "Hloom's cache",
            Self::PythonPackage => "a Python package",
            Self::System => "the system's libraries",
        })
    }
}

impl Candidate {
    pub(crate) fn loaded(name: &str, path: Option<&Path>) -> Self {
        Self {
            name: name.to_owned(),
            path: path.map(Path::to_owned).unwrap_or_default(),
            source: PluginSource::Loaded,
            problem: None,
            shadowed: false,
        }
    }

    /// The error if a setting names this file: another plugin must not replace it.
    pub(crate) fn wrong_setting(&self) -> Option<Error> {
        let variable = match &self.source {
            PluginSource::Variable(variable) => variable,
            PluginSource::LibraryPath if paths_of(LIBRARY_PATH).contains(&self.path) => {
                LIBRARY_PATH
            }
            _ => return None,
        };
        Some(Error::Setting {
            variable: variable.to_owned(),
            path: self.path.clone(),
            problem: self.problem.clone()?,
        })
    }

    fn new(name: String, path: PathBuf, source: PluginSource) -> Self {
        let problem = library::check(&path).err();
        Self { name, path, source, problem, shadowed: false }
    }
}

/// The plugin names that a name refers to, the preferred one first.
pub(crate) fn names_for(name: &str) -> Vec<String> {
    let name = name.to_lowercase().replace('-', "_");
    let names: &[&str] = match name.as_str() {
        "gpu" => &["cuda", "cuda13", "cuda12", "rocm", "rocm7"],
        "cuda" | "nvidia" => &["cuda", "cuda13", "cuda12"],
        "rocm" | "amd" => &["rocm", "rocm7", "rocm60"],
        "host" => &["cpu", "host"],
        other => return vec![other.to_owned()],
    };
    names.iter().map(|&n| n.to_owned()).collect()
}

/// The environment variables that may name the file of a plugin.
fn variables(name: &str) -> [String; 2] {
    let upper: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect();
    [format!("HLOOM_PLUGIN_{upper}"), format!("PJRT_PLUGIN_{upper}")]
}

/// The plugins whose files are named by environment variables, for any plugin name.
fn named_by_variables() -> Vec<Candidate> {
    let mut found = Vec::new();
    for (variable, value) in env::vars_os() {
        let Some(variable) = variable.to_str() else { continue };
        let name = variable
            .strip_prefix("HLOOM_PLUGIN_")
            .or_else(|| variable.strip_prefix("PJRT_PLUGIN_"))
            .filter(|_| variable != LIBRARY_PATH);
        if let Some(name) = name.filter(|_| !value.is_empty()) {
            let source = PluginSource::Variable(variable.to_owned());
            found.push(Candidate::new(name.to_lowercase(), PathBuf::from(value), source));
        }
    }
    found
}

/// The entries of [`LIBRARY_PATH`] that are neither folders nor plugins.
fn wrong_entries() -> Vec<Candidate> {
    let entries = paths_of(LIBRARY_PATH).into_iter().filter(|entry| !entry.is_dir());
    let candidates = entries.map(|entry| {
        Candidate::new(library::plugin_name(&entry), entry, PluginSource::LibraryPath)
    });
    candidates.filter(|candidate| candidate.problem.is_some()).collect()
}

/// The first environment variable with an unusable value: in an entry of [`LIBRARY_PATH`] or, with
/// `all`, as the file of any plugin.
pub(crate) fn wrong_setting(all: bool) -> Option<Error> {
    let variables = if all { named_by_variables() } else { Vec::new() };
    let mut named = variables.into_iter().chain(wrong_entries());
    named.find_map(|candidate| candidate.wrong_setting())
}

/// Every plugin outside this process, in order.
pub(crate) fn candidates() -> Vec<Candidate> {
    let mut found = named_by_variables();
    found.extend(wrong_entries());
    let mut files = HashSet::new();
    for (path, source) in files_in_order(&mut Vec::new()) {
        if let Some(name) = name_of(&path, &source)
            && files.insert(path.clone())
        {
            found.push(Candidate::new(name, path, source));
        }
    }
    found
}

/// The candidates for one of `names`, best name first; `searched` receives the places searched.
pub(crate) fn candidates_for(names: &[String], searched: &mut Vec<String>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for name in names {
        for variable in variables(name) {
            match env::var_os(&variable).filter(|v| !v.is_empty()) {
                Some(value) => {
                    let source = PluginSource::Variable(variable);
                    found.push(Candidate::new(name.clone(), PathBuf::from(value), source));
                }
                None => searched.push(format!("  {variable}: not set")),
            }
        }
    }
    let files = files_in_order(searched);
    for wanted in names {
        for (path, source) in &files {
            if name_of(path, source).as_ref() == Some(wanted) {
                found.push(Candidate::new(wanted.clone(), path.clone(), source.clone()));
            }
        }
    }
    found
}

/// Marks every candidate whose name an earlier usable one has.
pub(crate) fn mark_shadowed(candidates: &mut [Candidate]) {
    let mut names = HashSet::new();
    for candidate in candidates {
        candidate.shadowed = names.contains(&candidate.name);
        if candidate.problem.is_none() {
            names.insert(candidate.name.clone());
        }
    }
}

/// The name of a plugin found at a path: in the cache, the folder's name has it.
fn name_of(path: &Path, source: &PluginSource) -> Option<String> {
    if *source == PluginSource::Cache {
        let root = cache::folder()?;
        let entry = path.strip_prefix(root).ok()?.components().next()?;
        return Some(split_version(entry.as_os_str().to_str()?).0.to_owned());
    }
    match source {
        // A file named there is a plugin, whatever its name.
        PluginSource::LibraryPath => Some(library::plugin_name(path)),
        _ => library::recognised_name(path),
    }
}

/// Every file that looks like a plugin's, in order of preference.
fn files_in_order(searched: &mut Vec<String>) -> Vec<(PathBuf, PluginSource)> {
    let mut files = Vec::new();
    let mut unfinished = Vec::new();
    let mut add = |folder: &Path, source: PluginSource, found: Vec<PathBuf>| {
        let count = match found.len() {
            0 if !folder.exists() => "does not exist".to_owned(),
            n => format!("{n} plugin files"),
        };
        searched.push(format!("  {}: {count}", folder.display()));
        files.extend(found.into_iter().map(|f| (f, source.clone())));
    };
    for entry in paths_of(LIBRARY_PATH) {
        let found = if entry.is_dir() {
            libraries(&entry)
        } else if library::check(&entry).is_ok() {
            vec![entry.clone()]
        } else {
            Vec::new()
        };
        add(&entry, PluginSource::LibraryPath, found);
    }
    if let Some(root) = cache::folder() {
        add(&root, PluginSource::Cache, cached(&root, &mut unfinished));
    }
    for site in python_folders() {
        let found = packaged(&site);
        if !found.is_empty() {
            add(&site, PluginSource::PythonPackage, found);
        }
    }
    for folder in system::folders() {
        let found = libraries(&folder);
        if !found.is_empty() {
            add(&folder, PluginSource::System, found);
        }
    }
    searched.extend(unfinished);
    files
}

/// The plugins of the cache, the newest version of each name first; `unfinished` receives the
/// folders that are not installations.
fn cached(root: &Path, unfinished: &mut Vec<String>) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = entries(root).into_iter().filter(|p| p.is_dir()).collect();
    let key = |folder: &PathBuf| {
        let name = folder.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let (name, version) = split_version(name);
        // Within a version, the installation with all companions comes first.
        let complete = version.ends_with("-run");
        (name.to_owned(), std::cmp::Reverse((version_numbers(version), complete)))
    };
    folders.sort_by_cached_key(key);
    // The folder of an unfinished install begins with a dot.
    let finished = |folder: &PathBuf| {
        folder.file_name().and_then(|n| n.to_str()).is_some_and(|n| !n.starts_with('.'))
    };
    let mut found = Vec::new();
    for folder in folders.iter().filter(|folder| finished(folder)) {
        match cache::installed_library(folder) {
            Some(library) => found.push(library),
            None => unfinished.push(format!(
                "  {}: ignored, its `installed.json` names no whole library",
                folder.display()
            )),
        }
    }
    found
}

/// Splits `cuda13-0.12.0.1` at the hyphen before the version.
fn split_version(folder: &str) -> (&str, &str) {
    let splits = folder.match_indices('-').map(|(at, _)| (&folder[..at], &folder[at + 1..]));
    let mut splits = splits.filter(|(_, v)| v.starts_with(|c: char| c.is_ascii_digit()));
    splits.next().unwrap_or((folder, ""))
}

fn version_numbers(version: &str) -> Vec<u64> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
}

/// The plugins among the Python packages of a folder.
fn packaged(site: &Path) -> Vec<PathBuf> {
    let mut found = libraries(&site.join("libtpu"));
    for group in ["xla_plugins", "jax_plugins"] {
        for package in entries(&site.join(group)).into_iter().filter(|p| p.is_dir()) {
            found.extend(libraries(&package));
        }
    }
    found.extend(libraries(site));
    found
}

/// The files of a folder whose names are those of plugins.
fn libraries(folder: &Path) -> Vec<PathBuf> {
    let is_plugin = |path: &PathBuf| {
        library::is_library_name(path) && library::recognised_name(path).is_some() && path.is_file()
    };
    entries(folder).into_iter().filter(is_plugin).collect()
}

/// The entries of a folder in the order of their names; none if it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    entries.sort();
    entries
}

/// The folders into which Python packages are installed.
fn python_folders() -> Vec<PathBuf> {
    let mut folders = paths_of("PYTHONPATH");
    let mut prefixes: Vec<PathBuf> = ["VIRTUAL_ENV", "CONDA_PREFIX"]
        .iter()
        .filter_map(|name| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from))
        .collect();
    prefixes.extend(env::var_os("HOME").map(|home| PathBuf::from(home).join(".local")));
    prefixes.extend(["/usr/local", "/usr"].map(PathBuf::from));
    for prefix in prefixes {
        for library in ["lib", "lib64"].map(|l| prefix.join(l)) {
            let is_python = |path: &PathBuf| {
                path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with("python3"))
            };
            for python in entries(&library).into_iter().filter(is_python) {
                folders.extend(["site-packages", "dist-packages"].map(|f| python.join(f)));
            }
        }
    }
    folders
}

pub(crate) fn paths_of(variable: &str) -> Vec<PathBuf> {
    let Some(value) = env::var_os(variable) else {
        return Vec::new();
    };
    env::split_paths(&value).filter(|p| !p.as_os_str().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_split_off_and_ordered_by_number() {
        assert_eq!(split_version("cpu-0.0.1"), ("cpu", "0.0.1"));
        assert_eq!(split_version("my-plugin-2.0-rc1"), ("my-plugin", "2.0-rc1"));
        assert_eq!(split_version("plain"), ("plain", ""));
        assert!(version_numbers("0.12.0") > version_numbers("0.9.9"));
    }

    #[test]
    fn aliases_stand_for_names() {
        assert_eq!(names_for("GPU")[0], "cuda");
        assert!(names_for("cuda").contains(&"cuda13".to_owned()));
        assert_eq!(names_for("my-plugin"), ["my_plugin"]);
        assert_eq!(variables("cuda-13"), ["HLOOM_PLUGIN_CUDA_13", "PJRT_PLUGIN_CUDA_13"]);
    }

    #[test]
    fn the_first_usable_plugin_of_a_name_shadows_the_others() {
        let candidate =
            |problem| Candidate { problem, ..Candidate::loaded("cpu", Some(Path::new("/x"))) };
        let mut all = [candidate(Some(PluginProblem::Missing)), candidate(None), candidate(None)];
        mark_shadowed(&mut all);
        assert_eq!(all.map(|c| c.shadowed), [false, false, true]);
    }
}
