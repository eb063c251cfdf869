//! Manifests: the packages of a platform's plugin.

use std::{
    collections::BTreeMap,
    path::{Component, Path},
};

use serde::{Deserialize, Serialize};

use crate::{Error, Result, error::IoContext, files, list};

/// One platform's plugin: its package, the library inside, and further packages that it needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The plugin's name: letters, digits, `-` and `_`.
    pub name: String,
    /// The purpose of the plugin, in a few words.
    pub description: String,
    /// The kind of device, the same for plugins that can replace each other: `cpu`, `cuda`.
    #[serde(default)]
    pub platform: String,
    /// Other names that mean this plugin.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The licence of the plugin's package, as an SPDX expression where there is one.
    #[serde(default)]
    pub license: String,
    /// The builder of the plugin, and its source.
    #[serde(default)]
    pub origin: String,
    /// The XLA that the plugin was built from: its date, or the release that has it.
    #[serde(default)]
    pub xla: String,
    /// The extent to which this project tested the plugin.
    #[serde(default)]
    pub verified: Verified,
    /// Path of the plugin's library inside its package.
    pub library: String,
    /// Device files, any of which shows that a device of this platform exists.
    #[serde(default)]
    pub device_nodes: Vec<String>,
    /// Environment in which the plugin loads on a machine without a device.
    #[serde(default)]
    pub probe_environment: BTreeMap<String, String>,
    /// The package that carries the plugin.
    pub plugin: Package,
    /// Further packages that the plugin needs.
    #[serde(default)]
    pub companions: CompanionPackages,
    /// Notes for the user.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The extent to which this project tested a plugin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Verified {
    /// Not tested.
    #[default]
    No,
    /// Its archive was downloaded, matched its hash and holds the library.
    Installs,
    /// The plugin loads and compiles programs ahead of time, on a machine without its devices.
    Compiles,
    /// The plugin runs the test suite.
    Runs,
}

/// The companion packages of a plugin, by their purpose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompanionPackages {
    /// Needed to compile.
    #[serde(default)]
    pub compile: Vec<Package>,
    /// Needed, beyond those, to run on a device.
    #[serde(default)]
    pub run: Vec<Package>,
}

/// One package at one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    /// Its name on the package index.
    pub package: String,
    /// The pinned version.
    pub version: String,
    /// Its contents, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provides: Option<String>,
    /// Its wheel for each target: the architecture as Rust names it on Linux (`x86_64`), elsewhere
    /// after the operating system (`macos-aarch64`).
    pub wheels: BTreeMap<String, Wheel>,
}

/// One wheel of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wheel {
    /// Its compatibility tag: `python-abi-platform`.
    pub tag: String,
    /// The sha256 of the file, in lower-case hexadecimal digits.
    pub sha256: String,
    /// The size of the file in bytes.
    pub bytes: u64,
}

/// The companions that are installed with a plugin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Companions {
    /// The packages for running where a device of the platform exists, else those for compiling.
    #[default]
    Auto,
    /// The packages for compiling.
    Compile,
    /// The packages for compiling and those for running.
    Run,
}

impl std::fmt::Display for Verified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::No => "not tried",
            Self::Installs => "not run",
            Self::Compiles => "compiles ahead of time",
            Self::Runs => "runs the tests",
        })
    }
}

impl Manifest {
    /// Reads a manifest from a JSON file.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be read or is not a regular file, else as
    /// [`Manifest::from_json`].
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = files::read(path).at("read", path)?;
        let origin = path.display().to_string();
        let text = std::str::from_utf8(&text).map_err(|error| Error::Manifest {
            origin: origin.clone(),
            reason: error.to_string(),
        })?;
        Self::from_json(text, &origin)
    }

    /// Reads a manifest from JSON text; `origin` is its name in errors.
    ///
    /// # Errors
    /// [`Error::Manifest`] when the text is not a manifest, or when a name, version, hash or path
    /// in it could not be used safely in a path or a requirement.
    pub fn from_json(text: &str, origin: &str) -> Result<Self> {
        let refuse = |reason: String| Error::Manifest { origin: origin.to_owned(), reason };
        let manifest: Self =
            serde_json::from_str(text).map_err(|error| refuse(error.to_string()))?;
        manifest.check().map_err(refuse)?;
        Ok(manifest)
    }

    /// The names of the built-in plugins for the same platform that have a wheel for this machine.
    pub fn alternatives(&self) -> Vec<&'static str> {
        let replaces = |other: &&Manifest| {
            other.name != self.name
                && !self.platform.is_empty()
                && other.platform == self.platform
                && other.plugin.wheel(&other.name).is_ok()
        };
        list().iter().filter(replaces).map(|other| other.name.as_str()).collect()
    }

    /// Whether a device of this platform exists; true for a plugin that needs none.
    pub fn device_present(&self) -> bool {
        self.device_nodes.is_empty()
            || self.device_nodes.iter().any(|node| Path::new(node).exists())
    }

    /// The group that `companions` selects on this machine: never [`Companions::Auto`], and
    /// [`Companions::Compile`] where the manifest has nothing for running.
    pub fn resolve(&self, companions: Companions) -> Companions {
        match companions {
            _ if self.companions.run.is_empty() => Companions::Compile,
            Companions::Auto if self.device_present() => Companions::Run,
            Companions::Auto | Companions::Compile => Companions::Compile,
            Companions::Run => Companions::Run,
        }
    }

    /// The plugin's package and the companions of a group, in the order of their installation.
    pub fn packages(&self, companions: Companions) -> impl Iterator<Item = &Package> {
        let run = match self.resolve(companions) {
            Companions::Run => self.companions.run.as_slice(),
            Companions::Auto | Companions::Compile => &[],
        };
        std::iter::once(&self.plugin).chain(&self.companions.compile).chain(run)
    }

    fn check(&self) -> std::result::Result<(), String> {
        for name in std::iter::once(&self.name).chain(&self.aliases) {
            if !is_word(name, "-_") {
                return Err(format!(
                    "invalid name `{name}`; allowed: letters, digits, `-` and `_`"
                ));
            }
        }
        let inside = Path::new(&self.library)
            .components()
            .all(|component| matches!(component, Component::Normal(_)));
        if self.library.is_empty() || !inside {
            return Err(format!("library `{}` is not inside a package", self.library));
        }
        for package in self.packages_of_all_groups() {
            package.check()?;
        }
        Ok(())
    }

    fn packages_of_all_groups(&self) -> impl Iterator<Item = &Package> {
        std::iter::once(&self.plugin).chain(&self.companions.compile).chain(&self.companions.run)
    }
}

impl Package {
    /// The wheel for this machine; `plugin` is the plugin's name in an error.
    ///
    /// # Errors
    /// [`Error::NoWheel`] when there is none.
    pub fn wheel(&self, plugin: &str) -> Result<&Wheel> {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        let target = match os {
            "linux" => arch.to_owned(),
            _ => format!("{os}-{arch}"),
        };
        self.wheels.get(&target).ok_or_else(|| Error::NoWheel {
            plugin: plugin.to_owned(),
            package: self.package.clone(),
            target: format!("{os} {arch}"),
            available: self
                .wheels
                .keys()
                .map(|target| match target.split_once('-') {
                    Some((os, arch)) => format!("{os} {arch}"),
                    None => format!("linux {target}"),
                })
                .collect::<Vec<_>>()
                .join(", "),
        })
    }

    fn check(&self) -> std::result::Result<(), String> {
        if !is_word(&self.package, "-_.") {
            return Err(format!("`{}` is not a package name", self.package));
        }
        if !is_word(&self.version, "-_.+!") {
            return Err(format!("package {}: `{}` is not a version", self.package, self.version));
        }
        for (arch, wheel) in &self.wheels {
            let digits = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
            if wheel.sha256.len() != 64 || !wheel.sha256.bytes().all(digits) {
                return Err(format!(
                    "package {} for {arch}: `{}` is not a sha256 (64 lower-case hexadecimal digits)",
                    self.package, wheel.sha256
                ));
            }
            if wheel.tag.split('-').count() != 3 || !is_word(&wheel.tag, "-_.") {
                return Err(format!(
                    "package {} for {arch}: `{}` is not a wheel tag (python-abi-platform)",
                    self.package, wheel.tag
                ));
            }
        }
        Ok(())
    }
}

/// Whether it starts with a letter or a digit, and holds only those and `others`.
fn is_word(text: &str, others: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || others.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest;

    #[test]
    fn every_built_in_manifest_states_platform_licence_origin_and_how_far_it_was_tried() {
        for manifest in list() {
            for text in [&manifest.platform, &manifest.license, &manifest.origin] {
                assert!(!text.is_empty(), "{}", manifest.name);
            }
            assert!(manifest.verified >= Verified::Installs, "{}", manifest.name);
        }
    }

    #[test]
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn alternatives_are_of_the_same_platform_and_fit_this_machine() {
        assert_eq!(manifest("cpu").unwrap().alternatives(), ["cpu81", "cpu115"]);
        assert_eq!(manifest("cuda13").unwrap().alternatives(), ["cuda12"]);
        assert!(manifest("tpu").unwrap().alternatives().is_empty());
        let error = manifest("mps").unwrap().plugin.wheel("mps").unwrap_err().to_string();
        assert!(error.contains("no wheel for linux x86_64, only for macos aarch64"), "{error}");
    }

    #[test]
    fn every_built_in_manifest_is_well_formed_and_its_names_are_its_own() {
        let mut names = std::collections::BTreeSet::new();
        for manifest in list() {
            for name in std::iter::once(&manifest.name).chain(&manifest.aliases) {
                assert!(names.insert(name.clone()), "{name} is used twice");
            }
            for package in manifest.packages_of_all_groups() {
                assert!(!package.wheels.is_empty(), "{} has no wheel", package.package);
                for (target, wheel) in &package.wheels {
                    let platform = match target.as_str() {
                        "macos-aarch64" => "arm64",
                        "windows-x86_64" => "win_amd64",
                        arch => arch,
                    };
                    assert!(wheel.tag.ends_with(platform), "{}", wheel.tag);
                    assert!(wheel.bytes > 1 << 20, "{}", package.package);
                }
            }
        }
        assert!(
            names.is_superset(&["cpu", "cuda", "cuda12", "cuda13", "tpu"].map(String::from).into())
        );
    }

    #[test]
    fn the_run_group_is_only_taken_when_asked_for_or_a_device_is_there() {
        let mut cuda = manifest("cuda13").unwrap();
        cuda.device_nodes = vec!["/dev/null".to_owned()];
        assert_eq!(cuda.resolve(Companions::Auto), Companions::Run);
        assert_eq!(cuda.resolve(Companions::Compile), Companions::Compile);
        cuda.device_nodes = vec!["/dev/no-such-device".to_owned()];
        assert_eq!(cuda.resolve(Companions::Auto), Companions::Compile);
        assert_eq!(cuda.resolve(Companions::Run), Companions::Run);
        assert_eq!(
            cuda.packages(Companions::Run).count(),
            1 + cuda.companions.compile.len() + cuda.companions.run.len()
        );
        assert_eq!(manifest("cpu").unwrap().resolve(Companions::Run), Companions::Compile);
    }

    #[test]
    fn what_could_leave_the_cache_or_change_a_requirement_is_refused() {
        let good = serde_json::to_value(manifest("cpu").unwrap()).unwrap();
        let refused = |pointer: &str, value: &str| {
            let mut bad = good.clone();
            *bad.pointer_mut(pointer).unwrap() = value.into();
            Manifest::from_json(&bad.to_string(), "test").unwrap_err().to_string()
        };
        assert!(refused("/name", "../cpu").contains("invalid name"));
        assert!(refused("/name", "").contains("invalid name"));
        assert!(refused("/library", "/lib/x.so").contains("not inside"));
        assert!(refused("/library", "a/../../x.so").contains("not inside"));
        assert!(refused("/library", "").contains("not inside"));
        assert!(refused("/plugin/package", "x --pre").contains("not a package name"));
        assert!(refused("/plugin/package", "-r/etc/passwd").contains("not a package name"));
        assert!(refused("/plugin/version", "1/../..").contains("not a version"));
        assert!(refused("/plugin/wheels/x86_64/sha256", "ABC").contains("not a sha256"));
        assert!(refused("/plugin/wheels/x86_64/tag", "any").contains("not a wheel tag"));
        assert!(
            Manifest::from_json("{", "test")
                .unwrap_err()
                .to_string()
                .starts_with("manifest test: ")
        );
    }

    /// The corpus of the fuzz target `manifest`.
    #[test]
    fn the_fuzzing_corpus_is_read_or_refused() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/manifest");
        let (mut read, mut refused) = (0, 0);
        for file in std::fs::read_dir(corpus).unwrap() {
            match Manifest::from_file(file.unwrap().path()) {
                Ok(_) => read += 1,
                Err(error) => {
                    assert!(matches!(error, Error::Manifest { .. }), "{error}");
                    refused += 1;
                }
            }
        }
        assert!(read >= 4 && refused >= 18, "{read} read, {refused} refused");
    }
}
